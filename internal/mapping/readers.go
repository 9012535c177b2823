package mapping

import (
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Reader says what one built-in dialect does with a key of one signal.
type Reader struct {
	Dialect string   `json:"dialect"`
	Signal  string   `json:"signal"`            // spans, logs, metrics
	Targets []string `json:"targets,omitempty"` // keys that may get the value, or a part of it
	Content []string `json:"content,omitempty"` // those only with content: map
	Tells   bool     `json:"tells"`             // the dialect is recognised by the key, or a case chosen
}

var builtinFiles = sync.OnceValue(func() []*dialectFile {
	var out []*dialectFile
	files := semconv.DialectFiles()
	for _, name := range sortedKeys(files) {
		if d, err := parseDialect(name+".yaml", files[name]); err == nil { // a test loads each file
			out = append(out, d)
		}
	}
	return out
})

// Readers lists the built-in dialects whose rules read an attribute key, by name.
// Prefixes and indexed sources count as reading what is below them.
func Readers(key string) []Reader {
	var out []Reader
	for _, d := range builtinFiles() {
		for sig, s := range [signals]*section{d.spans, d.logs, d.metrics} {
			if s == nil {
				continue
			}
			r := Reader{Dialect: d.name, Signal: signal(sig).String()}
			r.detection(&s.detect, key)
			r.rules(&s.body, key)
			for i := range s.events {
				r.rules(&s.events[i].body, key)
			}
			r.Tells = r.Tells || readsAny(s.event.from, key)
			if r.Tells || r.Targets != nil || r.Content != nil {
				slices.Sort(r.Targets)
				slices.Sort(r.Content)
				out = append(out, r)
			}
		}
	}
	return out
}

// ReadKeys lists the whole keys that built-in dialects read as a source or name
// as content or a person's, sorted.
func ReadKeys() []string {
	seen := map[string]bool{}
	add := func(texts []string) {
		for _, text := range texts {
			key, _, _ := strings.Cut(text, "#")
			if key != "" && !strings.ContainsAny(key, "*?$") && key[0] != '.' {
				seen[key] = true
			}
		}
	}
	var rules func(c *caseRule)
	rules = func(c *caseRule) {
		c.eachField(func(f *fieldRule, _ bool) { add(f.sources()) })
		for i := range c.cases {
			rules(&c.cases[i])
		}
		for i := range c.finally {
			rules(&c.finally[i])
		}
	}
	for _, d := range builtinFiles() {
		add(d.privateKeys)
		for _, s := range [signals]*section{d.spans, d.logs, d.metrics} {
			if s == nil {
				continue
			}
			rules(&s.body)
			for i := range s.events {
				rules(&s.events[i].body)
			}
		}
	}
	return sortedKeys(seen)
}

func (r *Reader) detection(d *detection, key string) {
	for _, k := range slices.Concat(d.markers, d.keys) {
		r.Tells = r.Tells || k == key || strings.HasSuffix(k, ".*") && strings.HasPrefix(key, k[:len(k)-1])
	}
	for _, all := range d.all {
		r.conditions(all, key)
	}
}

func (r *Reader) conditions(list []condition, key string) {
	for i := range list {
		r.Tells = r.Tells || reads(list[i].source, key)
		for _, all := range list[i].any {
			r.conditions(all, key)
		}
	}
}

func (r *Reader) rules(c *caseRule, key string) {
	r.conditions(c.when, key)
	c.eachField(func(f *fieldRule, content bool) {
		if !readsAny(f.sources(), key) {
			return
		}
		to := &r.Targets
		if content {
			to = &r.Content
		}
		if !slices.Contains(*to, f.target) {
			*to = append(*to, f.target)
		}
	})
	for _, e := range c.each {
		for i := range e.fields {
			for _, src := range e.fields[i].from {
				member, ok := strings.CutPrefix(src, ".")
				if !ok || !reads(e.below+member, key) {
					continue
				}
				if to := e.fields[i].target; !slices.Contains(r.Targets, to) {
					r.Targets = append(r.Targets, to)
				}
			}
		}
	}
	for i := range c.cases {
		r.rules(&c.cases[i], key)
	}
	for i := range c.finally {
		r.rules(&c.finally[i], key)
	}
}

// eachField calls do with the fields of the case itself.
func (c *caseRule) eachField(do func(f *fieldRule, content bool)) {
	for i := range c.fields {
		do(&c.fields[i], false)
	}
	for i := range c.content {
		do(&c.content[i], true)
	}
}

func (f *fieldRule) sources() []string {
	return slices.Concat(f.from, f.gather, f.join, f.tool, f.args, f.hints)
}

func readsAny(sources []string, key string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return reads(s, key) })
}

// reads reports whether a source takes an attribute of the key, or a part of it.
func reads(source, key string) bool {
	source, _, _ = strings.Cut(source, "#")
	if source == key {
		return true
	}
	prefix, rest, ok := strings.Cut(source, "*")
	if !ok || !strings.HasPrefix(key, prefix) || len(key) == len(prefix) {
		return false
	}
	if rest == "" {
		return true
	}
	_, ok = indexOf(key, prefix, rest)
	return ok
}
