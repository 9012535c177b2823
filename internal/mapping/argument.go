package mapping

import (
	"net/url"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// arguments are what the members of a tool's arguments say; the first member of
// a kind counts.
type arguments [argumentKinds]string

func (w *effectWords) arguments(tool string, args []string) (a arguments, found bool) {
	if w.members == nil {
		return a, false
	}
	for _, arg := range args {
		if !strings.HasPrefix(strings.TrimSpace(arg), "{") {
			continue
		}
		scanJSON(arg, w.members, func(leaf *jsonPaths, d datum) {
			if d.kind == kindString && d.s != "" && a[leaf.slot] == "" {
				a[leaf.slot], found = d.s, true
			}
		})
	}
	if a[argumentSQL] == "" && w.isSQLTool(tool) {
		a[argumentSQL] = a[argumentQuery]
	}
	return a, found
}

func (w *effectWords) isSQLTool(tool string) bool {
	tool = strings.ToLower(tool)
	for _, word := range w.sqlTools {
		if strings.Contains(tool, word) {
			return true
		}
	}
	return false
}

// argumentClass is the class of a tool that nobody listed, by what it is asked
// to do.
func (w *effectWords) argumentClass(tool string, args []string) string {
	a, found := w.arguments(tool, args)
	if found {
		if a[argumentSQL] != "" {
			return w.sqlClass(shellWord{text: a[argumentSQL], literal: true})
		}
		if class, ok := w.methods[strings.ToUpper(a[argumentMethod])]; ok && a[argumentURL] != "" {
			return class
		}
	}
	return semconv.AppToolEffectClassUnknown
}

// target names what a call acts on without anything that people wrote: the host
// of an address, the table of a statement, the keyed digest of a file's path. It
// is empty when unsure, and for several statements.
func (w *effectWords) target(tool string, args []string, digest func(string) string) string {
	a, found := w.arguments(tool, args)
	switch {
	case !found:
		return ""
	case a[argumentSQL] != "":
		return prefixed("table:", tableOf(a[argumentSQL]))
	case a[argumentURL] != "":
		return prefixed("host:", hostOf(a[argumentURL]))
	case a[argumentPath] != "":
		return prefixed("file:", strings.TrimPrefix(digest(a[argumentPath]), digestPrefix))
	}
	return ""
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// maxLabel is beyond the names that people give hosts; longer ones hold ids.
const maxLabel = 40

// hostOf is the host's name, without user, port, path and query. An address in
// numbers may be a person's and says nothing.
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme == "" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	letters := false
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > maxLabel {
			return ""
		}
		for i := 0; i < len(label); i++ {
			switch c := label[i]; {
			case c >= 'a' && c <= 'z':
				letters = true
			case c >= '0' && c <= '9', c == '-':
			default:
				return ""
			}
		}
	}
	if !letters {
		return ""
	}
	return host
}

// tableWords stand in front of the table that a statement is about.
var tableWords = map[string]string{
	"insert": "into", "replace": "into", "merge": "into", "update": "update", "delete": "from", "select": "from",
	"truncate": "truncate", "drop": "table", "alter": "table", "create": "table",
}

// tableOf is the one table that a single plain statement is about.
func tableOf(sql string) string {
	sql = strings.TrimSuffix(strings.TrimSpace(sql), ";")
	if strings.ContainsAny(sql, ";") || len(sql) > maxCommandBytes {
		return ""
	}
	words := strings.Fields(sql)
	if len(words) == 0 {
		return ""
	}
	mark := tableWords[strings.ToLower(words[0])]
	for i := 0; i+1 < len(words) && mark != ""; i++ {
		if strings.ToLower(words[i]) != mark {
			continue
		}
		name := words[i+1]
		for j := i + 1; j < len(words); j++ {
			switch strings.ToLower(words[j]) {
			case "table", "if", "not", "exists", "only", "into":
				continue
			}
			name = words[j]
			break
		}
		return tableName(name)
	}
	return ""
}

// tableName accepts a plain identifier, with a schema in front or not.
func tableName(word string) string {
	word, _, _ = strings.Cut(word, "(")
	word = strings.ToLower(strings.Trim(word, "\"`,"))
	if word == "" || len(word) > 2*maxLabel || word[0] >= '0' && word[0] <= '9' {
		return ""
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c != '_' && c != '.' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return ""
		}
	}
	return word
}
