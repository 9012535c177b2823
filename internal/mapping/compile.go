package mapping

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

type compiler struct {
	t        *Tables
	r        *reader
	snapshot *semconv.Snapshot
	extra    map[string]*target
	effects  effectWords
	claims   *claims
}

func (c *compiler) dialect(d *dialectFile, index int16, base effectWords) {
	c.extra = map[string]*target{}
	for _, w := range d.targets {
		typ, ok := valueTypes[w.value]
		if _, exists := c.t.targets[w.key]; !ok || exists {
			c.r.fail(w.line, "targets.%s must be new and of type string, int, double, boolean or string[], found %q", w.key, w.value)
			continue
		}
		c.extra[w.key] = &target{key: w.key, id: c.t.intern(w.key), typ: typ, private: d.isPrivate(w.key)}
	}
	c.effects = d.effects.over(base)
	out := &dialect{name: d.name, effects: c.effects}
	for sig, s := range [signals]*section{d.spans, d.logs, d.metrics} {
		if s == nil {
			continue
		}
		c.detection(s.detect, signal(sig), index)
		out.sections[sig] = c.program(s)
	}
	c.t.dialects = append(c.t.dialects, out)
}

func (c *compiler) program(s *section) *program {
	p := &program{strip: s.event.strip, adopt: s.event.adopt, rename: s.rename, seconds: map[string]bool{}}
	for _, name := range s.seconds {
		p.seconds[name] = true
	}
	p.eventFrom = c.sources(s.event.from, s.event.line)
	c.recall(p, s.recall)
	if s.unpack != nil {
		c.t.unpacks = append(c.t.unpacks, s.unpack)
	}
	p.body = c.block(&s.body)
	p.conform = s.conform
	if p.conform != "" {
		c.ownKeys(p, s.line)
	}
	if p.conform != "" && p.conform != conformFirst {
		p.conform = conformLate
		for _, rn := range c.snapshot.Renamed {
			rule := fieldRule{target: rn.To, line: s.line, from: []string{rn.To, rn.From}, values: rn.Values}
			f := c.field(&rule)
			f.renames = true
			p.body.fields = append(p.body.fields, f)
		}
	}
	p.events = map[string]*block{}
	for i := range s.events {
		e := &s.events[i]
		b := c.block(&e.body)
		b.joins = b.readsEvents()
		for _, name := range e.names {
			if p.events[name] != nil {
				c.r.fail(e.line, "events has %q twice", name)
			}
			p.events[name] = &b
		}
	}
	return p
}

// ownKeys adds what is to be done for the snapshot's own keys in every dialect
// where no rule of the dialect decides: content in the snapshot's form, and one
// answer, which is not stated.
func (c *compiler) ownKeys(p *program, line int) {
	for _, own := range [...]fieldRule{
		{target: semconv.GenAISystemInstructions, shape: "system_instructions"},
		{target: semconv.GenAIInputMessages, shape: "input_messages"},
		{target: semconv.GenAIOutputMessages, shape: "output_messages"},
		{target: semconv.GenAIToolDefinitions, shape: "tools"},
	} {
		own.line, own.from = line, []string{own.target}
		p.body.content = append(p.body.content, c.field(&own))
	}
	if p.conform == conformFirst { // its rules begin with the convention's keys
		return
	}
	p.body.fields = append(p.body.fields, c.field(&fieldRule{
		target: semconv.GenAIRequestChoiceCount, line: line, from: []string{semconv.GenAIRequestChoiceCount}, absent: []string{"1"},
	}))
}

func (c *compiler) block(rule *caseRule) block {
	b := block{
		event: rule.event, aggregate: choiceWords[rule.aggregate], basis: basisWords[rule.basis],
		outputBasis: basisWords[rule.outputBasis], total: c.sources(rule.total, rule.line),
		outputTotal: c.sources(rule.outputTotal, rule.line), band: rule.band, kind: rule.kind, naming: rule.naming, status: rule.status,
		drop: rule.drop == "true", time: c.time(rule.time),
	}
	if rule.event != "" && !c.knownEvent(rule.event) {
		c.r.fail(rule.line, "event %q is in neither app.yaml nor the snapshot", rule.event)
	}
	b.when = c.tests(rule.when)
	for i := range rule.cases {
		b.cases = append(b.cases, c.block(&rule.cases[i]))
	}
	if len(b.cases) >= minIndexed {
		b.index = c.t.newCaseIndex(b.cases)
	}
	for i := range rule.fields {
		b.fields = append(b.fields, c.field(&rule.fields[i]))
	}
	for i := range rule.content {
		b.content = append(b.content, c.field(&rule.content[i]))
	}
	for i := range rule.finally {
		b.finally = append(b.finally, c.block(&rule.finally[i]))
	}
	c.linksAndEach(rule, &b)
	return b
}

func (c *compiler) linksAndEach(rule *caseRule, b *block) {
	relation := c.t.targets[semconv.AppLinkRelation]
	for _, l := range rule.links {
		if !contains(relation.closed, l.relation) {
			c.r.fail(l.line, "links.relation must be one of %s, found %q", strings.Join(relation.closed, ", "), l.relation)
		}
		lr := linkRule{relation: l.relation}
		for _, cond := range l.when {
			if t, ok := c.test(cond, source{kind: fromLink, sourceText: &sourceText{rest: cond.source}}); ok {
				lr.when = append(lr.when, t)
			}
		}
		b.links = append(b.links, lr)
	}
	for _, e := range rule.each {
		prefix, rest, ok := strings.Cut(e.below, "*")
		if !ok || !strings.HasSuffix(prefix, ".") || !strings.HasPrefix(rest, ".") || !strings.HasSuffix(rest, ".") && rest != "." {
			c.r.fail(e.line, "each.below must be prefix.*.rest. with a dot at its end, found %q", e.below)
			continue
		}
		if !c.knownEvent(e.event) {
			c.r.fail(e.line, "event %q is in neither app.yaml nor the snapshot", e.event)
		}
		er := eachRule{prefix: prefix, rest: rest, event: e.event}
		for i := range e.fields {
			er.fields = append(er.fields, c.field(&e.fields[i]))
		}
		b.each = append(b.each, er)
	}
}

func (c *compiler) knownEvent(name string) bool {
	for _, e := range semconv.App().Events {
		if e.Name == name {
			return true
		}
	}
	for _, e := range c.snapshot.Events {
		if e.Event == name {
			return true
		}
	}
	return false
}

func (c *compiler) tests(conditions []condition) []test {
	var out []test
	for _, w := range conditions {
		if w.any != nil {
			t := test{testText: &testText{}}
			for _, all := range w.any {
				t.any = append(t.any, c.tests(all))
			}
			out = append(out, t)
			continue
		}
		src, err := c.t.source(w.source)
		if err != nil {
			c.r.fail(w.line, "%v", err)
			continue
		}
		if t, ok := c.test(w, src); ok {
			out = append(out, t)
		}
	}
	// What was decided once for the scope costs least.
	slices.SortStableFunc(out, func(a, b test) int { return cmp.Compare((&b).hoists(), (&a).hoists()) })
	return out
}

func (c *compiler) test(w condition, src source) (test, bool) {
	t := test{src: src, is: w.is, testText: &testText{
		not: w.not, prefix: w.prefix, suffix: w.suffix, has: w.has, since: w.since, before: w.before,
		typ: w.typ, like: w.like, unlike: w.unlike,
	}}
	switch w.present {
	case "true":
		t.present = 1
	case "false":
		t.present = -1
	}
	if w.above != "" {
		f, err := strconv.ParseFloat(w.above, 64)
		if err != nil {
			return t, false
		}
		t.above = &f
	}
	t.plain = w.not == nil && w.prefix == nil && w.suffix == nil && w.has == nil && w.since == "" && w.before == "" &&
		w.typ == "" && w.like == "" && w.unlike == "" && w.above == ""
	switch src.kind {
	case fromScopeName, fromScopeVersion, fromResource:
		c.t.hoistedTests++
		t.constant = int32(c.t.hoistedTests)
	}
	return t, true
}

func (c *compiler) sources(texts []string, line int) []source {
	var out []source
	for _, text := range texts {
		src, err := c.t.source(text)
		if err != nil {
			c.r.fail(line, "%v", err)
			continue
		}
		out = append(out, src)
	}
	return out
}

func (c *compiler) field(rule *fieldRule) field {
	f := field{inferred: rule.inferred, keep: rule.keep, fieldText: &fieldText{
		sep: rule.sep, values: rule.values, only: rule.only, absent: rule.absent, after: rule.after,
		until: rule.until, untilAny: rule.untilAny, last: rule.last, sum: c.sources(rule.sum, rule.line), between: c.sources(rule.between, rule.line), split: rule.split, lower: rule.lower, unlike: likeness[rule.unlike],
		longest: rule.longest, divisor: unitDivisors[rule.unit], shape: shapes[rule.shape],
	}}
	if f.to = c.target(rule.target); f.to == nil {
		c.r.fail(rule.line, "target %q is in neither the snapshot nor app.yaml; a dialect's own keys go under targets", rule.target)
		return field{to: &target{}, how: fieldNone, fieldText: &fieldText{}}
	}
	f.id, f.original = f.to.id, c.t.original(f.to)
	ways := 0
	for _, used := range []bool{rule.from != nil, rule.gather != nil, rule.join != nil, rule.isConst, rule.none, rule.derive != "", rule.sum != nil, rule.between != nil} {
		if used {
			ways++
		}
	}
	readsFrom := derivations[rule.derive].readsFrom()
	if readsFrom && rule.from != nil {
		ways--
	}
	if ways != 1 {
		c.r.fail(rule.line, "%s must have exactly one of from, gather, join, const, none, sum, between and derive, found %d", rule.target, ways)
		return f
	}
	f.from, f.join, f.gather = c.sources(rule.from, rule.line), c.sources(rule.join, rule.line), c.sources(rule.gather, rule.line)
	if f.gather != nil && f.shape == nil {
		c.r.fail(rule.line, "%s has gather but no shape", rule.target)
	}
	for _, prefix := range sortedKeys(rule.starts) {
		f.starts = append(f.starts, prefixWord{prefix, rule.starts[prefix]})
	}
	sort.SliceStable(f.starts, func(i, j int) bool { return len(f.starts[i].prefix) > len(f.starts[j].prefix) })
	f.folded = foldedWords(rule.values)
	f.cuts = f.after != "" || f.until != "" || f.untilAny != "" || f.last != "" || f.lower
	if rule.isConst {
		out := fits
		if f.konst, out = coerce(stringDatum(rule.konst), f.to.typ); out != fits {
			c.r.fail(rule.line, "%s.const must fit the target's type, found %q", rule.target, rule.konst)
		}
		f.how = fieldConst
	}
	if rule.derive != "" {
		f.effect = &effectField{
			what: derivations[rule.derive], words: &c.effects, tool: c.sources(rule.tool, rule.line), args: c.sources(rule.args, rule.line),
			hints: c.sources(rule.hints, rule.line), cut: rule.cut,
		}
		words := c.effects
		f.effect.words = &words
		switch {
		case readsFrom && rule.from == nil:
			c.r.fail(rule.line, "%s has derive: %s but no from", rule.target, rule.derive)
		case !readsFrom && len(f.effect.tool) == 0:
			c.r.fail(rule.line, "%s has derive but no tool", rule.target)
		case f.effect.what == digested && digestKinds[rule.target] == "":
			c.r.fail(rule.line, "%s is no key for a digest; those are %s", rule.target, strings.Join(sortedKeys(digestKinds), ", "))
		}
	}
	switch {
	case rule.none:
		f.how = fieldNone
	case f.effect != nil:
		f.how = fieldDerive
	case f.sum != nil || f.between != nil:
		f.how = fieldSum
		if f.between != nil {
			f.how = fieldBetween
		}
		if f.to.typ != typeDouble || f.between != nil && len(f.between) != 2 {
			c.r.fail(rule.line, "%s has sum or between: it must be a double, and between has two sources", rule.target)
		}
	case f.join != nil:
		f.how = fieldJoin
	case f.gather != nil:
		f.how = fieldGather
	}
	c.words(rule, &f)
	f.member, f.bits = c.t.membersOfOne(f.from)
	f.member = f.member && f.how == fieldFrom
	f.plain = f.shape == nil && f.split == "" && !f.sinceStart && !f.cuts && f.longest == 0 && f.unlike == nil && f.absent == nil &&
		f.values == nil && f.only == nil && f.starts == nil && f.to.closed == nil && f.divisor == 0
	return f
}

// words checks what a field can write against the target's closed list.
func (c *compiler) words(rule *fieldRule, f *field) {
	check := func(word string) {
		if f.to.closed != nil && !contains(f.to.closed, word) {
			c.r.fail(rule.line, "%s may only be %s, found %q", rule.target, strings.Join(f.to.closed, ", "), word)
		}
		if f.to.id == c.t.known.operation.id && c.t.operations[word] == nil {
			c.r.fail(rule.line, "operation %q is not in the snapshot", word)
		}
	}
	if rule.isConst {
		check(rule.konst)
	}
	for _, word := range rule.values {
		check(word)
	}
	for _, p := range f.starts {
		check(p.word)
	}
	f.sinceStart = rule.unit == sinceStart
	if f.divisor != 0 && f.to.typ != typeDouble {
		c.r.fail(rule.line, "%s has a unit but is no double", rule.target)
	}
}

// foldedWords are those by whose target the source cannot be told any more.
func foldedWords(values map[string]string) map[string]bool {
	times := map[string]int{}
	for _, to := range values {
		times[to]++
	}
	out := map[string]bool{}
	for word, to := range values {
		if times[to] > 1 && word != to {
			out[word] = true
		}
	}
	return out
}

// membersOfOne reports whether all sources are members of one attribute, and a
// bit for each.
func (t *Tables) membersOfOne(from []source) (bool, uint64) {
	bits := uint64(0)
	for i := range from {
		if from[i].kind != fromMember || from[i].key != from[0].key {
			return false, 0
		}
		bits |= 1 << (from[i].slot & 63)
	}
	return len(from) > 1, bits
}

func (c *compiler) target(key string) *target {
	if t, ok := c.extra[key]; ok {
		return t
	}
	return c.t.targets[key]
}

func yamlErrorLine(err error) int {
	_, rest, ok := strings.Cut(err.Error(), "line ")
	if !ok {
		return 1
	}
	digits, _, _ := strings.Cut(rest, ":")
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return 1
}

func yamlErrorText(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(text, "line ") {
		if _, rest, ok := strings.Cut(text, ": "); ok {
			return rest
		}
	}
	return text
}
