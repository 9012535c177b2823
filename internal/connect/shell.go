package connect

import (
	"fmt"
	"strings"
)

// Shell is how settings are written for the shell that reads them. Everything but
// variables, and folders that must be there, is nothing to it.
type Shell struct {
	Name  string
	quote func(string) string      // makes a text one word
	set   string                   // a name and a word
	unset func([]string) string    // variables
	token func(file string) string // an expression for the first line of a file, to be put behind a word
	make  string                   // a folder
	text  func(string) string      // keeps text from being run
}

// The shells, the first is the default.
var (
	POSIX = Shell{
		Name:  "sh",
		quote: quotePOSIX,
		set:   "export %s=%s\n",
		unset: func(names []string) string { return "unset " + strings.Join(names, " ") + "\n" },
		token: func(file string) string { return `"$(head -n 1 ` + file + `)"` },
		make:  "mkdir -p -m 700 %s\n",
		text:  func(s string) string { return ": <<'END'\n" + s + "END\n" },
	}
	Fish = Shell{
		Name:  "fish",
		quote: quoteFish,
		set:   "set -gx %s %s\n",
		unset: func(names []string) string { return "set -e " + strings.Join(names, " ") + "\n" },
		token: func(file string) string { return "(head -n 1 " + file + ")" },
		make:  "mkdir -p -m 700 %s\n",
		text:  func(s string) string { return ": '\n" + escapeFish(s) + "'\n" },
	}
	PowerShell = Shell{
		Name:  "powershell",
		quote: quotePowerShell,
		set:   "$env:%s = %s\n",
		unset: func(names []string) string {
			return "Remove-Item -ErrorAction Ignore -Path Env:" + strings.Join(names, ", Env:") + "\n"
		},
		token: func(file string) string { return " + (Get-Content -TotalCount 1 -LiteralPath " + file + ")" },
		make:  "New-Item -ItemType Directory -Force -Path %s | Out-Null\n",
		text:  func(s string) string { return "<#\n" + s + "#>\n" },
	}
	Shells = []Shell{POSIX, Fish, PowerShell}
)

// Script writes settings for a shell.
func (sh Shell) Script(s Settings) string {
	var b strings.Builder
	switch {
	case s.Sends != "":
		fmt.Fprintf(&b, "# %s sends %s.\n", s.Title, s.Sends)
	case s.Instead != "":
		fmt.Fprintf(&b, "# %s: %s\n", s.Title, s.Instead)
	default:
		fmt.Fprintf(&b, "# %s: no OTLP is sent.\n", s.Title)
	}
	if len(s.Presets) > 0 {
		fmt.Fprintf(&b, "# The collector reads %s: start it with --config preset:agent --config %s\n", s.Writes, strings.Join(s.Presets, ", or "))
	}
	for _, w := range s.Ways {
		sh.way(&b, w)
	}
	if len(s.Unset) > 0 {
		b.WriteString("# These would send content:\n" + sh.unset(s.Unset))
	}
	if len(s.Off) > 0 {
		fmt.Fprintf(&b, "# Left off, so that content stays where it is: %s\n", strings.Join(s.Off, ", "))
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	return b.String()
}

func (sh Shell) way(b *strings.Builder, w Way) {
	if w.Title != "" {
		fmt.Fprintf(b, "# %s\n", w.Title)
	}
	if w.Folder != "" {
		fmt.Fprintf(b, sh.make, sh.quote(w.Folder))
	}
	if w.File != "" {
		fmt.Fprintf(b, "# into %s, beside what is there:\n%s", w.File, sh.text(w.Text))
	}
	for _, v := range w.Variables {
		value := sh.quote(v.Value)
		if v.TokenFile != "" {
			value += sh.token(sh.quote(v.TokenFile))
		}
		fmt.Fprintf(b, sh.set, v.Name, value)
	}
}

// plainWord reports whether a text means itself in every shell.
func plainWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+-", r)
	})
}

func quotePOSIX(s string) string {
	if plainWord(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func quoteFish(s string) string {
	if plainWord(s) {
		return s
	}
	return "'" + escapeFish(s) + "'"
}

// escapeFish is a text as it stands between single quotes.
func escapeFish(s string) string { return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) }

func quotePowerShell(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
