package mapping

import (
	"path"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"mvdan.cc/sh/v3/syntax"
)

// maxCommandBytes bounds the parser; longer command lines are unknown.
const maxCommandBytes = 16 << 10

// maxRuns bounds commands that run commands (sudo sudo …, bash -c "bash -c …").
const maxRuns = 8

// shellClass parses a command line and gives the severest class of all commands
// in it, those of loops, functions and substitutions included. It is unknown
// whenever the parse fails or a command's name is not written out.
func (w *effectWords) shellClass(line string) string { return w.shellClassIn(line, 0) }

func (w *effectWords) shellClassIn(line string, depth int) (class string) {
	if len(line) > maxCommandBytes || depth > maxRuns {
		return semconv.AppToolEffectClassUnknown
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) == 0 {
		return semconv.AppToolEffectClassUnknown
	}
	class = semconv.AppToolEffectClassNone
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			class = worse(class, w.callClass(n, depth))
		case *syntax.DeclClause: // export PATH=… changes what later names mean
			class = worse(class, assignsClass(n.Args))
		case *syntax.Redirect:
			class = worse(class, redirectClass(n))
		}
		return true
	})
	return class
}

func redirectClass(r *syntax.Redirect) string {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		if target, ok := literal(r.Word); ok && target == "/dev/null" {
			return semconv.AppToolEffectClassNone
		}
		return semconv.AppToolEffectClassWrite
	case syntax.RdrIn:
		return semconv.AppToolEffectClassRead
	}
	return semconv.AppToolEffectClassNone
}

// loaderVariables change which program or library a plain name means.
var loaderVariables = []string{"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PAGER", "GIT_SSH_COMMAND"}

func (w *effectWords) callClass(call *syntax.CallExpr, depth int) string {
	class := assignsClass(call.Assigns)
	if len(call.Args) == 0 {
		return class
	}
	words := make([]shellWord, len(call.Args))
	for i, arg := range call.Args {
		words[i].text, words[i].literal = literal(arg)
	}
	return worse(class, w.wordsClass(words, depth))
}

func assignsClass(assigns []*syntax.Assign) string {
	for _, a := range assigns {
		if a.Name != nil && contains(loaderVariables, a.Name.Value) {
			return semconv.AppToolEffectClassUnknown
		}
	}
	return semconv.AppToolEffectClassNone
}

// shellWord is one word of a command; what is not written out (a variable, a
// substitution) is not literal.
type shellWord struct {
	text    string
	literal bool
}

// commandFlags are what stands in front of a shell's command: agents ask for a login shell.
var commandFlags = map[string]bool{"-c": true, "-lc": true, "-cl": true, "-ic": true, "-lic": true}

func (w *effectWords) wordsClass(words []shellWord, depth int) string {
	if len(words) == 0 || !words[0].literal || depth > maxRuns {
		return semconv.AppToolEffectClassUnknown
	}
	name := path.Base(words[0].text)
	if name == "bash" || name == "sh" || name == "zsh" {
		if len(words) == 3 && commandFlags[words[1].text] && words[2].literal {
			return w.shellClassIn(words[2].text, depth+1)
		}
		return semconv.AppToolEffectClassUnknown
	}
	rule, ok := w.commands[name]
	switch {
	case !ok:
		return semconv.AppToolEffectClassUnknown
	case rule.runs:
		if len(words) > 1 && !strings.HasPrefix(words[1].text, "-") {
			return w.wordsClass(words[1:], depth+1)
		}
		return semconv.AppToolEffectClassUnknown
	}
	return w.ruleClass(rule, words[1:])
}

// ruleClass walks the words after a command, or after a sub-command.
func (w *effectWords) ruleClass(rule *commandRule, words []shellWord) string {
	class := rule.class
	raised, sql := semconv.AppToolEffectClassNone, false
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case !word.literal:
			if rule.flags != nil || rule.sub != nil {
				raised = worse(raised, semconv.AppToolEffectClassUnknown) // it could be an option
			}
		case strings.HasPrefix(word.text, "-"):
			raised = worse(raised, flagClass(rule.flags, word.text))
			if contains(rule.sql, word.text) && i+1 < len(words) {
				raised, sql = worse(raised, w.sqlClass(words[i+1])), true
			}
			if contains(rule.values, word.text) || contains(rule.sql, word.text) {
				i++
			}
		case rule.sub != nil:
			sub, ok := rule.sub[word.text]
			if !ok {
				return worse(raised, semconv.AppToolEffectClassUnknown)
			}
			return worse(raised, w.ruleClass(sub, words[i+1:]))
		}
	}
	if sql {
		return raised
	}
	if class == "" {
		if raised != semconv.AppToolEffectClassNone {
			return worse(raised, semconv.AppToolEffectClassUnknown)
		}
		return semconv.AppToolEffectClassUnknown
	}
	if class == semconv.AppToolEffectClassUnknown && raised != semconv.AppToolEffectClassNone {
		return raised // the option says what the command does
	}
	return worse(class, raised)
}

// flagClass looks an option up as written, before its = and, for -abc, letter
// by letter.
func flagClass(flags map[string]string, word string) string {
	class := semconv.AppToolEffectClassNone
	name, _, _ := strings.Cut(word, "=")
	if c, ok := flags[name]; ok {
		return c
	}
	if strings.HasPrefix(word, "--") {
		return class
	}
	for _, letter := range word[1:] {
		if c, ok := flags["-"+string(letter)]; ok {
			class = worse(class, c)
		}
	}
	return class
}

// sqlClass judges each statement by its first word. Statements with a body of
// their own (with …, do …) are unknown.
func (w *effectWords) sqlClass(word shellWord) string {
	if !word.literal {
		return semconv.AppToolEffectClassUnknown
	}
	class := semconv.AppToolEffectClassNone
	for _, statement := range strings.Split(word.text, ";") {
		fields := strings.Fields(statement)
		if len(fields) == 0 {
			continue
		}
		c, ok := w.sql[strings.ToLower(fields[0])]
		if !ok {
			c = semconv.AppToolEffectClassUnknown
		}
		class = worse(class, c)
	}
	return class
}

// literal is the text of a word without any expansion. A tilde and globs count
// as written out: they name files, never commands.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return strings.ReplaceAll(b.String(), `\`, ""), true
}
