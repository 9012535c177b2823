package mapping

import (
	"bytes"
	"io"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// The types below are a dialect file as written, with lines; compile.go turns
// them into programs.

type dialectFile struct {
	file    string
	name    string
	line    int       // of the name
	targets []written // extra target keys and their types
	effects effectWords
	spans   *section
	logs    *section
	metrics *section

	privateKeys, privatePrefixes []string // that hold content or a person's id
}

// isPrivate reports whether the file says that a key holds content or a person's
// id.
func (d *dialectFile) isPrivate(key string) bool {
	return contains(d.privateKeys, key) || hasAnyPrefix(key, d.privatePrefixes)
}

type written struct {
	key, value string
	line       int
}

type section struct {
	line    int
	detect  detection
	event   eventName
	rename  map[string]string // metrics: old name to new
	seconds []string          // metrics: these names are seconds
	conform string            // when earlier names and wrong types of the snapshot's own keys are corrected
	body    caseRule
	events  []eventRule
	recall  []recallRule
	unpack  *unpackRule
}

type detection struct {
	line     int
	firm     bool
	last     bool
	markers  []string
	scopes   []string
	resource []condition
	events   []string
	keys     []string
	all      [][]condition
}

type eventName struct {
	adopt bool
	from  []string
	strip []string
	line  int
}

type eventRule struct {
	names []string
	line  int
	body  caseRule
}

type caseRule struct {
	line        int
	when        []condition
	event       string
	basis       string
	outputBasis string
	total       []string
	outputTotal []string
	aggregate   string // "true", "false" or ""
	band        string
	kind        string
	naming      string
	status      string
	drop        string // "true" or ""
	time        *timeRule
	links       []linkRuleText
	each        []eachRuleText
	fields      []fieldRule
	content     []fieldRule
	cases       []caseRule
	finally     []caseRule
}

// timeRule says where a log record states when it happened.
type timeRule struct {
	line int
	from []string
	plus []string
	unit string
}

// recallRule says what a log record tells for later ones.
type recallRule struct {
	name string
	line int
	when []condition
	key  []string
	asks []string
	keep map[string]string
	list *recallList
}

// recallList keeps a member of each element of a list, found again by another
// member.
type recallList struct{ from, by, keep, asks string }

type linkRuleText struct {
	line     int
	when     []condition
	relation string
}

type eachRuleText struct {
	line   int
	below  string
	event  string
	fields []fieldRule
}

type condition struct {
	source        string
	line          int
	is            []string
	not           []string
	prefix        []string
	suffix        []string
	has           []string
	present       string // "true", "false" or ""
	above         string // a number
	since, before string
	typ           string
	like, unlike  string
	any           [][]condition
}

type fieldRule struct {
	target   string
	line     int
	from     []string
	gather   []string
	join     []string
	sum      []string
	between  []string
	sep      string
	konst    string
	isConst  bool
	none     bool
	values   map[string]string
	starts   map[string]string
	only     []string
	absent   []string
	unlike   string // a text of this form means nothing
	after    string
	until    string
	untilAny string // in front of the first
	last     string // behind the last of what is left
	split    string
	lower    bool
	unit     string
	shape    string
	inferred bool
	keep     bool
	derive   string
	tool     []string
	args     []string
	hints    []string
	cut      int
	longest  int
}

// When a dialect's records are brought to the snapshot's keys, words and types:
// before its fields read them, since they are the convention's own, or after,
// since a vendor gives an earlier key a meaning of its own.
const (
	conformFirst = "first"
	conformLate  = "late"
)

// wordKept leaves a span's kind or name as its emitter made it.
const wordKept = "kept"

var dialectName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func parseDialect(file string, b []byte) (*dialectFile, error) {
	r := &reader{file: file}
	if len(b) > maxFileBytes {
		r.fail(1, "the file must not exceed %d bytes, found %d", maxFileBytes, len(b))
		return nil, r.err()
	}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(b))
	if err := documents.Decode(&doc); err != nil && err != io.EOF {
		r.fail(yamlErrorLine(err), "%s", yamlErrorText(err))
		return nil, r.err()
	}
	if err := documents.Decode(&more); err == nil {
		r.fail(more.Line, "the file must be one document; put the other dialect into a file of its own")
	} else if err != io.EOF {
		r.fail(yamlErrorLine(err), "%s", yamlErrorText(err))
	}
	if len(doc.Content) != 1 {
		r.fail(1, "the file is empty")
		return nil, r.err()
	}
	if line, reason := tooDeep(&doc, 0); reason != "" {
		r.fail(line, "%s", reason)
		return nil, r.err()
	}
	d := &dialectFile{file: file}
	root := doc.Content[0]
	r.object(root, "the file", map[string]func(*yaml.Node){
		"dialect": func(n *yaml.Node) {
			d.line = n.Line
			if d.name = r.text(n, "dialect"); !dialectName.MatchString(d.name) {
				r.fail(n.Line, "dialect must match %s, found %q", dialectName, d.name)
			}
		},
		"brief": func(n *yaml.Node) { r.text(n, "brief") },
		"targets": func(n *yaml.Node) {
			r.entries(n, "targets", func(key string, k, v *yaml.Node) {
				d.targets = append(d.targets, written{key, r.text(v, "targets"), k.Line})
			})
		},
		"content": func(n *yaml.Node) { r.contentKeys(d, n) },
		"person":  func(n *yaml.Node) { d.privateKeys = append(d.privateKeys, r.texts(n, "person")...) },
		"effects": func(n *yaml.Node) { d.effects = r.effects(n) },
		"spans":   func(n *yaml.Node) { d.spans = r.section(n, signalSpans) },
		"logs":    func(n *yaml.Node) { d.logs = r.section(n, signalLogs) },
		"metrics": func(n *yaml.Node) { d.metrics = r.section(n, signalMetrics) },
	})
	if d.name == "" {
		r.fail(root.Line, "the file has no dialect")
	}
	return d, r.err()
}

// contentKeys checks the part that package semconv reads.
func (r *reader) contentKeys(d *dialectFile, n *yaml.Node) {
	r.object(n, "content", map[string]func(*yaml.Node){
		"keys": func(n *yaml.Node) { d.privateKeys = append(d.privateKeys, r.texts(n, "content.keys")...) },
		"prefixes": func(n *yaml.Node) {
			d.privatePrefixes = r.texts(n, "content.prefixes")
			for _, p := range d.privatePrefixes {
				if len(p) < 2 || p[len(p)-1] != '.' {
					r.fail(n.Line, "content.prefixes must each end with a dot, found %q", p)
				}
			}
		},
	})
}

func (r *reader) section(n *yaml.Node, sig signal) *section {
	s := &section{line: n.Line}
	what := sig.String()
	known := r.caseKeys(&s.body, what)
	s.body.line = n.Line
	delete(known, "when")
	delete(known, "event")
	delete(known, "drop")
	if sig != signalSpans {
		delete(known, "kind")
		delete(known, "name")
		delete(known, "status")
		delete(known, "links")
		delete(known, "each")
	}
	if sig == signalMetrics {
		delete(known, "drop")
	}
	if sig != signalLogs {
		delete(known, "time")
	}
	known["detect"] = func(n *yaml.Node) { s.detect = r.detection(n, sig) }
	known["conform"] = func(n *yaml.Node) { s.conform = r.oneOf(n, what+".conform", conformFirst, conformLate, "snapshot") }
	switch sig {
	case signalLogs:
		known["event"] = func(n *yaml.Node) { s.event = r.eventName(n) }
		known["events"] = func(n *yaml.Node) { s.events = r.eventRules(n) }
		known["unpack"] = func(n *yaml.Node) { s.unpack = r.unpack(n) }
		known["recall"] = func(n *yaml.Node) { s.recall = r.recallRules(n) }
	case signalMetrics:
		known["rename"] = func(n *yaml.Node) { s.rename = r.pairs(n, "metrics.rename") }
		known["seconds"] = func(n *yaml.Node) { s.seconds = r.texts(n, "metrics.seconds") }
	}
	r.object(n, what, known)
	return s
}

func (r *reader) detection(n *yaml.Node, sig signal) detection {
	d := detection{line: n.Line}
	known := map[string]func(*yaml.Node){
		"firm":     func(n *yaml.Node) { d.firm = r.flag(n, "detect.firm") },
		"last":     func(n *yaml.Node) { d.last = r.flag(n, "detect.last") },
		"markers":  func(n *yaml.Node) { d.markers = r.texts(n, "detect.markers") },
		"scopes":   func(n *yaml.Node) { d.scopes = r.texts(n, "detect.scopes") },
		"resource": func(n *yaml.Node) { d.resource = r.conditions(n, "detect.resource") },
		"keys":     func(n *yaml.Node) { d.keys = r.texts(n, "detect.keys") },
		"all": func(n *yaml.Node) {
			r.list(n, "detect.all", func(n *yaml.Node) { d.all = append(d.all, r.conditions(n, "detect.all")) })
		},
	}
	if sig != signalSpans {
		known["names"] = func(n *yaml.Node) { d.events = r.texts(n, "detect.names") }
	}
	r.object(n, "detect", known)
	return d
}

func (r *reader) eventName(n *yaml.Node) eventName {
	e := eventName{line: n.Line}
	r.object(n, "logs.event", map[string]func(*yaml.Node){
		"from":  func(n *yaml.Node) { e.from = r.texts(n, "logs.event.from") },
		"strip": func(n *yaml.Node) { e.strip = r.texts(n, "logs.event.strip") },
		"adopt": func(n *yaml.Node) { e.adopt = r.flag(n, "logs.event.adopt") },
	})
	return e
}

func (r *reader) eventRules(n *yaml.Node) []eventRule {
	var out []eventRule
	r.entries(n, "events", func(key string, k, v *yaml.Node) {
		e := eventRule{names: []string{key}, line: k.Line}
		known := r.caseKeys(&e.body, "events."+key)
		delete(known, "when")
		known["also"] = func(n *yaml.Node) { e.names = append(e.names, r.texts(n, "also")...) }
		if e.body.line = k.Line; v.Tag != "!!null" {
			r.object(v, "events."+key, known)
		}
		out = append(out, e)
	})
	return out
}

// caseKeys are the keys that sections, events and cases share.
func (r *reader) caseKeys(c *caseRule, what string) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"when":  func(n *yaml.Node) { c.when = r.when(n, "when") },
		"event": func(n *yaml.Node) { c.event = r.text(n, "event") },
		"operation": func(n *yaml.Node) {
			f := r.field(operationKey, n, n.Line)
			if n.Kind == yaml.ScalarNode {
				f = fieldRule{target: operationKey, line: n.Line, konst: n.Value, isConst: true}
				if n.Value == "none" {
					f = fieldRule{target: operationKey, line: n.Line, none: true}
				}
			}
			c.fields = append(c.fields, f)
		},
		"basis":        func(n *yaml.Node) { c.basis = r.oneOf(n, "basis", "inclusive", "exclusive", "assumed") },
		"output_basis": func(n *yaml.Node) { c.outputBasis = r.oneOf(n, "output_basis", "inclusive", "exclusive", "assumed") },
		"total":        func(n *yaml.Node) { c.total = r.texts(n, "total") },
		"output_total": func(n *yaml.Node) { c.outputTotal = r.texts(n, "output_total") },
		"aggregate":    func(n *yaml.Node) { c.aggregate = r.oneOf(n, "aggregate", "true", "false") },
		"band":         func(n *yaml.Node) { c.band = r.text(n, "band") },
		"kind": func(n *yaml.Node) {
			c.kind = r.oneOf(n, "kind", "usual", "stated", wordKept, "client", "server", "internal", "producer", "consumer")
		},
		"name":    func(n *yaml.Node) { c.naming = r.oneOf(n, "name", "usual", wordKept) },
		"status":  func(n *yaml.Node) { c.status = r.oneOf(n, "status", "unset", "ok", "error") },
		"drop":    func(n *yaml.Node) { c.drop = r.oneOf(n, "drop", "true") },
		"time":    func(n *yaml.Node) { c.time = r.time(n) },
		"links":   func(n *yaml.Node) { c.links = r.links(n) },
		"each":    func(n *yaml.Node) { c.each = r.each(n) },
		"fields":  func(n *yaml.Node) { c.fields = append(c.fields, r.fields(n, what+".fields")...) },
		"content": func(n *yaml.Node) { c.content = r.fields(n, what+".content") },
		"cases":   func(n *yaml.Node) { c.cases = r.caseList(n, "cases") },
		"finally": func(n *yaml.Node) { c.finally = r.caseList(n, "finally") },
	}
}

func (r *reader) caseList(n *yaml.Node, what string) []caseRule {
	var out []caseRule
	r.list(n, what, func(n *yaml.Node) {
		sub := caseRule{line: n.Line}
		r.object(n, "case", r.caseKeys(&sub, "case"))
		out = append(out, sub)
	})
	return out
}

func (r *reader) links(n *yaml.Node) []linkRuleText {
	var out []linkRuleText
	r.list(n, "links", func(n *yaml.Node) {
		l := linkRuleText{line: n.Line}
		r.object(n, "links", map[string]func(*yaml.Node){
			"when":     func(n *yaml.Node) { l.when = r.conditions(n, "links.when") },
			"relation": func(n *yaml.Node) { l.relation = r.text(n, "links.relation") },
		})
		out = append(out, l)
	})
	return out
}

func (r *reader) each(n *yaml.Node) []eachRuleText {
	var out []eachRuleText
	r.list(n, "each", func(n *yaml.Node) {
		e := eachRuleText{line: n.Line}
		r.object(n, "each", map[string]func(*yaml.Node){
			"below":  func(n *yaml.Node) { e.below = r.text(n, "each.below") },
			"event":  func(n *yaml.Node) { e.event = r.text(n, "each.event") },
			"fields": func(n *yaml.Node) { e.fields = r.fields(n, "each.fields") },
		})
		out = append(out, e)
	})
	return out
}

func (r *reader) fields(n *yaml.Node, what string) []fieldRule {
	var out []fieldRule
	r.entries(n, what, func(key string, k, v *yaml.Node) { out = append(out, r.field(key, v, k.Line)) })
	return out
}

func (r *reader) field(target string, n *yaml.Node, line int) fieldRule {
	f := fieldRule{target: target, line: line, sep: "/"}
	if n.Kind != yaml.MappingNode {
		f.from = r.texts(n, target)
		return f
	}
	list := func(dst *[]string) func(*yaml.Node) {
		return func(n *yaml.Node) { *dst = r.texts(n, target) }
	}
	r.object(n, target, map[string]func(*yaml.Node){
		"from":        list(&f.from),
		"gather":      list(&f.gather),
		"join":        list(&f.join),
		"sum":         list(&f.sum),
		"between":     list(&f.between),
		"sep":         func(n *yaml.Node) { f.sep = r.text(n, "sep") },
		"const":       func(n *yaml.Node) { f.konst, f.isConst = r.text(n, "const"), true },
		"none":        func(n *yaml.Node) { f.none = r.flag(n, "none") },
		"values":      func(n *yaml.Node) { f.values = r.pairs(n, "values") },
		"starts":      func(n *yaml.Node) { f.starts = r.pairs(n, "starts") },
		"until":       func(n *yaml.Node) { f.until = r.text(n, "until") },
		"until_first": func(n *yaml.Node) { f.untilAny = r.text(n, "until_first") },
		"last":        func(n *yaml.Node) { f.last = r.text(n, "last") },
		"split":       func(n *yaml.Node) { f.split = r.text(n, "split") },
		"lower":       func(n *yaml.Node) { f.lower = r.flag(n, "lower") },
		"absent_like": func(n *yaml.Node) { f.unlike = r.oneOf(n, "absent_like", sortedKeys(likeness)...) },
		"only":        list(&f.only),
		"absent":      list(&f.absent),
		"after":       func(n *yaml.Node) { f.after = r.text(n, "after") },
		"unit":        func(n *yaml.Node) { f.unit = r.oneOf(n, "unit", sortedKeys(unitDivisors)...) },
		"shape":       func(n *yaml.Node) { f.shape = r.oneOf(n, "shape", sortedKeys(shapes)...) },
		"inferred":    func(n *yaml.Node) { f.inferred = r.flag(n, "inferred") },
		"keep":        func(n *yaml.Node) { f.keep = r.flag(n, "keep") },
		"derive":      func(n *yaml.Node) { f.derive = r.oneOf(n, "derive", sortedKeys(derivations)...) },
		"tool":        list(&f.tool),
		"args":        list(&f.args),
		"annotations": list(&f.hints),
		"cut":         func(n *yaml.Node) { f.cut = r.positive(n, "cut") },
		"longest":     func(n *yaml.Node) { f.longest = r.positive(n, "longest") },
	})
	return f
}

func (r *reader) positive(n *yaml.Node, what string) int {
	i, err := strconv.Atoi(n.Value)
	if err != nil || i < 1 {
		r.fail(n.Line, "%s must be a positive number, found %q", what, n.Value)
	}
	return i
}
