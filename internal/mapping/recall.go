package mapping

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// A journal's lines speak of each other: an answer names its question by a
// number, a step does not say its turn. recall is what one line tells for those
// behind it.
type recall struct {
	name string
	when []test
	key  []source // of the line that tells
	asks []source // of the line that asks
	keep map[string]source
	list *listRecall
}

// listRecall keeps one member of each element of a list under another one.
type listRecall struct {
	from     source
	by, keep string
	asks     source
}

func (r *reader) recallRules(n *yaml.Node) (out []recallRule) {
	r.entries(n, "logs.recall", func(name string, k, v *yaml.Node) {
		rule := recallRule{name: name, line: k.Line}
		what := "recall." + name
		r.object(v, what, map[string]func(*yaml.Node){
			"when": func(n *yaml.Node) { rule.when = r.when(n, what+".when") },
			"key":  func(n *yaml.Node) { rule.key = r.texts(n, what+".key") },
			"asks": func(n *yaml.Node) { rule.asks = r.texts(n, what+".asks") },
			"keep": func(n *yaml.Node) { rule.keep = r.pairs(n, what+".keep") },
			"list": func(n *yaml.Node) {
				rule.list = &recallList{}
				text := func(dst *string) func(*yaml.Node) { return func(n *yaml.Node) { *dst = r.text(n, what+".list") } }
				r.object(n, what+".list", map[string]func(*yaml.Node){
					"from": text(&rule.list.from), "by": text(&rule.list.by), "keep": text(&rule.list.keep), "asks": text(&rule.list.asks),
				})
			},
		})
		out = append(out, rule)
	})
	return out
}

// recall compiles what the records of a dialect tell each other.
func (c *compiler) recall(p *program, rules []recallRule) {
	c.t.recalls = map[string]*recall{}
	for i := range rules {
		rule := &rules[i]
		if len(rule.key) == 0 || len(rule.keep) == 0 && rule.list == nil {
			c.r.fail(rule.line, "recall.%s must have a key and keep or list something", rule.name)
			continue
		}
		if rule.asks == nil {
			rule.asks = rule.key
		}
		own := &recall{
			name: rule.name, when: c.tests(rule.when), keep: map[string]source{},
			key: c.sources(rule.key, rule.line), asks: c.sources(rule.asks, rule.line),
		}
		// Known from here on: what is kept may be what an earlier record told.
		c.t.recalls[rule.name] = own
		for name, text := range rule.keep {
			if list := c.sources([]string{text}, rule.line); len(list) == 1 {
				own.keep[name] = list[0]
			}
		}
		if l := rule.list; l != nil {
			ends := c.sources([]string{l.from, l.asks}, rule.line)
			if len(ends) == 2 && l.by != "" && l.keep != "" {
				own.list = &listRecall{from: ends[0], by: l.by, keep: l.keep, asks: ends[1]}
			} else {
				c.r.fail(rule.line, "recall.%s.list must have from, by, keep and asks", rule.name)
			}
		}
		p.recalls = append(p.recalls, own)
	}
}

// recallSource reads NAME.KEPT; the kept member of a list is NAME.choice.
func (t *Tables) recallSource(text, rest string) (source, error) {
	name, kept, ok := strings.Cut(rest, ".")
	r := t.recalls[name]
	if !ok || r == nil || kept == "" {
		return source{}, fmt.Errorf("source %q must be %sNAME.KEPT with a name of recall of this file", text, recallPrefix)
	}
	return source{kind: fromRecall, sourceText: &sourceText{recall: r, rest: kept}}, nil
}

// remember keeps what the record tells. Later rules see what earlier ones told.
func (s *scratch) remember(p *program) {
	for _, r := range p.recalls {
		if !s.matches(r.when) {
			continue
		}
		key, ok := s.recallKey(r, r.key)
		if !ok {
			continue
		}
		values := map[string]string{}
		for name, src := range r.keep {
			if d, out := coerce(s.read(&src), typeString); out == fits && len(d.s) <= maxToldBytes {
				values[name] = d.s
			}
		}
		s.choices(r, values)
		s.t.memory.tell(key, values)
	}
}

const chosen = "choice"

// choices keeps a member of each element of a list.
func (s *scratch) choices(r *recall, values map[string]string) {
	if r.list == nil {
		return
	}
	d := s.read(&r.list.from)
	if d.kind != kindValue {
		return
	}
	n := 0
	eachMember(d.v, []string{everyElement}, func(d datum) {
		if d.kind != kindValue || n == maxChoices {
			return
		}
		by, kept := memberOf(d.v, []string{r.list.by}), memberOf(d.v, []string{r.list.keep})
		id, _ := by.text()
		word, _ := kept.text()
		if id != "" && len(id)+len(word) <= maxToldBytes {
			values[chosen+"\x00"+id] = word
			n++
		}
	})
}

// recallKey names a memory of this tenant, sender and dialect.
func (s *scratch) recallKey(r *recall, parts []source) (string, bool) {
	var b strings.Builder
	b.WriteString(s.tenant + "\x00" + r.name)
	for i := range parts {
		d := s.read(&parts[i])
		text, ok := d.text()
		if ok && i == len(parts)-1 && text == "" || !ok && i == len(parts)-1 {
			return "", false // the last part is the id; the others only narrow it
		}
		b.WriteString("\x00" + text)
	}
	return b.String(), true
}

func (s *scratch) recalled(src *source) datum {
	r := src.recall
	key, ok := s.recallKey(r, r.asks)
	if !ok {
		return datum{}
	}
	name := src.rest
	if name == chosen && r.list != nil {
		d := s.read(&r.list.asks)
		id, _ := d.text()
		name += "\x00" + id
	}
	return textOrNone(s.t.memory.ask(key, name))
}

// anyWord reads the attribute of any one word and the rest; of several the first
// by name.
func (s *scratch) anyWord(rest string) datum {
	found, out := "", datum{}
	for k, v := range s.attributes.All() {
		if word, ok := strings.CutSuffix(k, rest); ok && word != "" && !strings.Contains(word, ".") && (found == "" || k < found) {
			found, out = k, datumOf(v)
		}
	}
	return out
}
