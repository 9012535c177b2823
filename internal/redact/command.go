package redact

import "strings"

// maxCommand is how far before an option its program is looked for.
const maxCommand = 160

// passwordOption is an option of programs. A stem stands for all programs whose
// name starts with it; with login, it must be the program's login command.
type passwordOption struct {
	option string
	spaced bool // the password is the next word; otherwise it touches the option
	login  bool
	stems  []string
}

// passwordOptions are options that take a password with some programs and mean
// something else with the rest.
var passwordOptions = []passwordOption{
	{"-p", false, false, []string{"mysql", "mariadb", "mycli"}},
	{"-p", true, true, []string{"docker", "podman", "nerdctl", "buildah", "helm", "oras", "crane"}},
	{"-P", true, false, []string{"sqlcmd", "bcp", "isql", "tsql"}},
	{"-p", true, false, []string{"mongo", "cqlsh", "az ", "influx", "rabbitmqadmin", "arangosh", "mosquitto"}},
	{"-P", true, false, []string{"zip", "unzip", "mosquitto"}},
	{"-p", false, false, []string{"7z"}},
	{"-w", true, false, []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"}},
	{"-N", true, false, []string{"ssh-keygen"}},
	{"-a", true, false, []string{"redis-cli", "valkey-cli", "keydb-cli"}},
}

// findCommand reads the password behind an option of a program that stands
// before it in the same command.
func (r *rule) findCommand(s string, from, to, lo int, work *int) (match, bool) {
	if to >= len(s) {
		return match{}, false
	}
	start := skipAny(s, to, " ", 4)
	spaced := start > to
	line := s[commandStart(s, from, lo):from]
	*work += len(line) + 4
	for _, o := range passwordOptions {
		if o.option != s[from+1:to] || o.spaced != spaced || o.login && !strings.Contains(line, " login") {
			continue
		}
		*work += len(line)
		for _, stem := range o.stems {
			if runs(line, stem) {
				return r.commandValue(s, start, from, work)
			}
		}
	}
	return match{}, false
}

// commandStart is where the command starts that s[i] is in.
func commandStart(s string, i, lo int) int {
	for stop := max(lo, i-maxCommand); i > stop; i-- {
		switch s[i-1] {
		case '\n', ';', '|', '&':
			return i
		}
	}
	return i
}

func (r *rule) commandValue(s string, start, from int, work *int) (match, bool) {
	if q := skipAny(s, start, `\`, 3); q < len(s) && (s[q] == '"' || s[q] == '\'') {
		start = q + 1
		end := quotedEnd(s, start, s[q])
		*work += end - start
		return match{start, end, from, r}, end > start && !isReference(s[start:end])
	}
	end := runUntil(s, start, maxAssigned, endOfWord)
	*work += end - start
	return match{start, end, from, r}, end > start && !isReference(s[start:end]) && s[start] != '-'
}

var endOfWord = byteSet(" \t\r\n\"'`\\;|&<>")

// runs reports whether a word of the line starts with the stem.
func runs(line, stem string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], stem)
		if i < 0 {
			return false
		}
		if i += at; i == 0 || !isWord(line[i-1]) && line[i-1] != '-' {
			return true
		}
		at = i + len(stem)
	}
}
