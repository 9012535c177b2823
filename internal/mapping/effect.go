package mapping

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"gopkg.in/yaml.v3"
)

//go:embed effects.yaml
var effectsYAML []byte

// effectClasses are the classes in order of severity; of several commands the
// severest counts, see worse.
var effectClasses = []string{
	semconv.AppToolEffectClassNone, semconv.AppToolEffectClassRead, semconv.AppToolEffectClassWrite,
	semconv.AppToolEffectClassExternal, semconv.AppToolEffectClassUnknown, semconv.AppToolEffectClassDestructive,
}

// worse returns the severer of two classes. Destructive is above unknown: one
// command that certainly destroys is not hidden by another that nobody knows.
func worse(a, b string) string {
	if severity(b) > severity(a) {
		return b
	}
	return a
}

func severity(class string) int {
	for i, c := range effectClasses {
		if c == class {
			return i
		}
	}
	return -1
}

// effectWords says what tools and commands do; see effects.yaml.
type effectWords struct {
	tools    map[string]string
	shell    map[string]*jsonPaths // shell tools and the arguments that hold the command
	commands map[string]*commandRule
	sql      map[string]string
	members  *jsonPaths // members of arguments; the slot is one of the argument slots
	sqlTools []string
	methods  map[string]string
}

// What members of a tool's arguments say; several names may say the same.
const (
	argumentURL int32 = iota
	argumentMethod
	argumentSQL
	argumentQuery
	argumentPath
	argumentKinds
)

var argumentWords = map[string]int32{
	"url": argumentURL, "method": argumentMethod, "sql": argumentSQL, "query": argumentQuery, "path": argumentPath,
}

type commandRule struct {
	class  string
	sub    map[string]*commandRule
	flags  map[string]string
	values []string
	runs   bool
	sql    []string
}

func (r *reader) effects(n *yaml.Node) effectWords {
	var w effectWords
	classes := func(n *yaml.Node, what string) map[string]string {
		out := map[string]string{}
		r.entries(n, what, func(key string, _, v *yaml.Node) { out[key] = r.oneOf(v, what, effectClasses...) })
		return out
	}
	r.object(n, "effects", map[string]func(*yaml.Node){
		"tools":     func(n *yaml.Node) { w.tools = classes(n, "effects.tools") },
		"sql":       func(n *yaml.Node) { w.sql = classes(n, "effects.sql") },
		"methods":   func(n *yaml.Node) { w.methods = classes(n, "effects.methods") },
		"sql_tools": func(n *yaml.Node) { w.sqlTools = r.texts(n, "effects.sql_tools") },
		"arguments": func(n *yaml.Node) {
			w.members = newJSONPaths()
			r.entries(n, "effects.arguments", func(kind string, k, v *yaml.Node) {
				slot, ok := argumentWords[kind]
				if !ok {
					r.fail(k.Line, "effects.arguments has no %q; known are %s", kind, strings.Join(sortedKeys(argumentWords), ", "))
				}
				for _, name := range r.texts(v, "effects.arguments") {
					w.members.at(name).slot = slot
				}
			})
		},
		"shell": func(n *yaml.Node) {
			w.shell = map[string]*jsonPaths{}
			r.entries(n, "effects.shell", func(tool string, _, v *yaml.Node) {
				paths := newJSONPaths()
				for i, arg := range r.texts(v, "effects.shell") {
					paths.at(arg).slot = int32(i)
				}
				w.shell[tool] = paths
			})
		},
		"commands": func(n *yaml.Node) {
			w.commands = map[string]*commandRule{}
			r.entries(n, "effects.commands", func(name string, _, v *yaml.Node) { w.commands[name] = r.command(v) })
		},
	})
	return w
}

func (r *reader) command(n *yaml.Node) *commandRule {
	c := &commandRule{}
	if n.Kind == yaml.ScalarNode {
		c.class = r.oneOf(n, "command", effectClasses...)
		return c
	}
	r.object(n, "command", map[string]func(*yaml.Node){
		"class":  func(n *yaml.Node) { c.class = r.oneOf(n, "class", effectClasses...) },
		"runs":   func(n *yaml.Node) { c.runs = r.flag(n, "runs") },
		"values": func(n *yaml.Node) { c.values = r.texts(n, "values") },
		"sql":    func(n *yaml.Node) { c.sql = r.texts(n, "sql") },
		"flags": func(n *yaml.Node) {
			c.flags = map[string]string{}
			r.entries(n, "flags", func(key string, _, v *yaml.Node) { c.flags[key] = r.oneOf(v, "flags", effectClasses...) })
		},
		"sub": func(n *yaml.Node) {
			c.sub = map[string]*commandRule{}
			r.entries(n, "sub", func(key string, _, v *yaml.Node) { c.sub[key] = r.command(v) })
		},
	})
	return c
}

// builtinEffects reads the words that hold for every dialect.
func builtinEffects() (effectWords, error) {
	r := &reader{file: "effects.yaml"}
	var doc yaml.Node
	if err := yaml.Unmarshal(effectsYAML, &doc); err != nil {
		return effectWords{}, err
	}
	w := r.effects(doc.Content[0])
	return w, r.err()
}

// over returns the words of base with those of a dialect on top.
func (w effectWords) over(base effectWords) effectWords {
	return effectWords{
		tools:    layered(base.tools, w.tools),
		shell:    layered(base.shell, w.shell),
		commands: layered(base.commands, w.commands),
		sql:      layered(base.sql, w.sql),
		members:  base.members, sqlTools: append(base.sqlTools[:len(base.sqlTools):len(base.sqlTools)], w.sqlTools...),
		methods: layered(base.methods, w.methods),
	}
}

// class of a tool call. args are the attributes that hold its arguments as JSON
// or as a bare command line; a command of cut characters or more may have been
// shortened by the emitter and is unknown.
func (w *effectWords) class(tool string, args []string, cut int) string {
	paths, isShell := w.shell[tool]
	if !isShell {
		if class, ok := w.tools[tool]; ok {
			return class
		}
		return w.argumentClass(tool, args)
	}
	for _, arg := range args {
		line, first := arg, int32(1<<30)
		if strings.HasPrefix(strings.TrimSpace(arg), "{") {
			line = ""
			scanJSON(arg, paths, func(leaf *jsonPaths, d datum) {
				if leaf.slot >= first {
					return
				}
				if words, ok := commandWords(d); ok {
					line, first = words, leaf.slot
				}
			})
		}
		if line != "" && (cut == 0 || len(line) < cut) {
			return w.shellClass(line)
		}
	}
	return semconv.AppToolEffectClassUnknown
}

// commandWords is a command as a line: it is one, or a list of words.
func commandWords(d datum) (string, bool) {
	if d.kind == kindString {
		return d.s, true
	}
	var words []string
	if d.kind != kindJSON || json.Unmarshal([]byte(d.s), &words) != nil {
		return "", false
	}
	for i, word := range words {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(words, " "), true
}

// hintClass reads MCP tool annotations. They are the server's own word, so they
// count only where nothing better is known, and never make a call harmless that
// was found to destroy.
func hintClass(annotations string) (string, bool) {
	want := newJSONPaths()
	want.at("readOnlyHint").slot, want.at("destructiveHint").slot, want.at("openWorldHint").slot = 0, 1, 2
	var hint [3]struct{ said, yes bool }
	scanJSON(annotations, want, func(leaf *jsonPaths, d datum) {
		if b, out := coerceBool(d); out == fits {
			hint[leaf.slot].said, hint[leaf.slot].yes = true, b.i == 1
		}
	})
	switch {
	case hint[0].yes:
		return semconv.AppToolEffectClassRead, true
	case hint[1].yes:
		return semconv.AppToolEffectClassDestructive, true
	case hint[2].yes:
		return semconv.AppToolEffectClassExternal, true
	case hint[0].said && hint[1].said:
		return semconv.AppToolEffectClassWrite, true
	}
	return "", false
}
