package redact

import "strings"

const (
	maxNameTail   = 32
	maxAssigned   = 4096
	minTokenLen   = 8
	minPassword   = 3 // of one without quotes; behind password= or in quotes one byte is enough
	maxPhrase     = 128
	maxPhraseGaps = 8
	tokenEntropy  = 2.5
	bareTokenRuns = 16
)

// otherThings are last words of names that hold something about a secret, not
// the secret: token_type, secret_name, password_policy.
var otherThings = wordSet(`id ids type types count counts name names policy length len size limit limits max min url uri path file files dir ref
	refs arn version usage budget field fields input endpoint expiry expires expiration in ttl age valid required enabled manager provider rotation status
	error prefix suffix format pattern label placeholder hint regex class scope scopes source store index idx kind mode at per rate cost total used mgr through algorithm alg`)

// notValues are values that stand where a secret would, but are none.
var notValues = wordSet(`true false null none nil undefined string str text bytes required optional password passwd secret token value key any object
	number integer boolean hidden masked empty unset missing invalid incorrect wrong expired changed reset example self this new input
	yes no on off ok changeme change_me changeit placeholder dummy todo tbd redacted foo bar test xxx yourpassword`)

// notPhrases are words that start a sentence about a password, not one of
// several words.
var notPhrases = wordSet(`must should is was are were cannot can may will has have not never always hashed stored encrypted saved sent set kept a an the any your its at as in with see
	via from using by for of if when please enter type use at ask contact only or and files compat`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// assigned is what stands behind a name: name = "value".
type assigned struct {
	start, end int
	quoted     bool
	tight      bool // no space around an equals sign
	call       bool // the value goes on with a bracket: it is code
	colon      bool
	bare       bool // the name is pass, which also counts what has passed
	said       bool // in a sentence: the password is x
	option     bool // of a command, with a space between
	below      bool // alone on a line below the name
}

// findAssignment reads NAME=value, "name": "value", name => 'value',
// --name value and <name>value</name>, where NAME holds the keyword.
func (r *rule) findAssignment(s string, from, to, lo int, work *int) (match, bool) {
	name := to
	for name < len(s) && name-to <= maxNameTail && (isWord(s[name]) || s[name] == '-' || s[name] == '.') {
		name++
	}
	*work += name - to + 1
	if name-to > maxNameTail || !secretTail(s[to-1], s[to:name]) || r.strength == strengthKey && (name > to || !keyName(s, from, lo)) || isCursor(s[lo:to]) || inResourceName(s, from, name, lo) {
		return match{}, false
	}
	a, ok := readAssigned(s, from, name, lo)
	if !ok && a.end == 0 {
		a, ok = besideName(s, from, name, skipAny(s, name, `\"'*`+"`", 4), lo, work)
	}
	if a.call {
		if start, end := defaultArgument(s, a); end > start {
			a, ok = assigned{start: start, end: end, quoted: true}, true
		}
	}
	*work += max(a.end-name, 0) + 1
	if ok && r.strength == strengthPassword {
		if a.bare = bareWord(s[from:to]); a.bare && (!passName(s, from, to, lo, a) || name > to && isLetter(s[to])) {
			return match{}, false
		}
		if a.phrase(s, work) {
			return match{}, false
		}
	}
	if !ok || !r.secretValue(s[a.start:a.end], a) || sameAsName(s[lo:name], s[a.start:a.end]) || r.strength != strengthPassword && a.variable(s, s[from:to]) {
		return match{}, false
	}
	return match{a.start, a.end, from, r}, true
}

// bareWord reports whether a name's keyword is so short that it is often a part
// of other words.
func bareWord(keyword string) bool {
	switch len(keyword) {
	case 2:
		return true
	case 3:
		return foldEqual(keyword, "psk")
	case 4:
		return foldEqual(keyword, "pass")
	}
	return false
}

// passName reports whether the pass that starts at s[from] is a name of its own
// or the last word of one, and not the PASS of a test's outcome.
func passName(s string, from, to, lo int, a assigned) bool {
	if from > lo && !(s[from] <= 'Z' && 'a' <= s[from-1] && s[from-1] <= 'z') && isWord(s[from-1]) && s[from-1] != '_' {
		return false
	}
	return !a.colon || a.quoted || s[to-1] >= 'a'
}

// phrase extends a value behind a colon to the end of its line or sentence if
// that is a few words: password: correct horse battery staple. It answers true
// if the words speak of a password instead.
func (a *assigned) phrase(s string, work *int) (prose bool) {
	if a.quoted || a.call || !a.colon || a.bare {
		return false
	}
	end := runUntil(s, a.end, maxPhrase, endOfPhrase)
	*work += end - a.end
	text := strings.TrimRight(s[a.start:end], " \t.")
	if dot := strings.Index(text, ". "); dot > 0 {
		text = text[:dot]
	}
	first, _, more := strings.Cut(text, " ")
	first = strings.ToLower(first)
	if more && (notValues[first] || notPhrases[first]) {
		return true
	}
	if !more || strings.Count(text, " ") > maxPhraseGaps || len(text) > maxPhrase || strings.Contains(text, " = ") || first[0] == '/' || isReference(first) ||
		end < len(s) && strings.IndexByte("({[", s[end]) >= 0 {
		return false
	}
	a.end = a.start + len(text)
	return false
}

// cursors are names of tokens that only say where a list goes on.
var cursors = []string{"nexttoken", "next_token", "next-token", "pagetoken", "page_token", "page-token", "continuationtoken", "continuation_token", "paginationtoken", "pagination_token",
	"synctoken", "sync_token", "nextbatchtoken", "starttoken", "starting_token", "unexpected token"}

func isCursor(name string) bool {
	for _, c := range cursors {
		if at := len(name) - len(c); at >= 0 && foldEqual(name[at:], c) {
			return true
		}
	}
	return false
}

// inResourceName reports whether the name is a part of the name of a cloud's
// resource: arn:aws:secretsmanager:region:account:secret:name.
func inResourceName(s string, from, name, lo int) bool {
	return from > lo && s[from-1] == ':' && name < len(s) && s[name] == ':' && strings.Contains(s[max(lo, from-96):from], "arn:")
}

// variable reports whether the value is the name of a variable that holds what
// the keyword says: PrivateKey: testPrivateKey.
func (a *assigned) variable(s, keyword string) bool {
	v := s[a.start:a.end]
	return !a.quoted && !a.tight && isCamel(v) && wordsOf(v, keyword)
}

// secretTail judges what follows the keyword in the name: nothing, or a new
// word that does not turn the name into one of something else.
func secretTail(last byte, tail string) bool {
	if tail == "" {
		return true
	}
	c := tail[0]
	upperRun := 'A' <= last && last <= 'Z'
	if !(c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' && !upperRun) {
		return false
	}
	word := len(tail)
	for word > 0 {
		c := tail[word-1]
		if c == '_' || c == '-' || c == '.' {
			break
		}
		word--
		if 'A' <= c && c <= 'Z' && !upperRun {
			break
		}
	}
	var buf [maxNameTail + 1]byte
	n := copy(buf[:], tail[word:])
	for i := range buf[:n] {
		buf[i] = fold(buf[i])
	}
	return !otherThings[string(buf[:n])]
}

// readAssigned finds the value behind the name that ends at s[name]. The keyword
// starts at from.
func readAssigned(s string, from, name, lo int) (a assigned, ok bool) {
	i, a, ok := valueStart(s, from, name, lo)
	if !ok {
		return a, false
	}
	i = block(s, i)
	if n := entityAt(s, i); n > 0 {
		a.start = i + n
		a.end = runUntil(s, a.start, maxAssigned, endOfEntity)
		a.quoted = true
		return a, a.end > a.start
	}
	open := skipAny(s, stringPrefix(s, i), `\`, 3)
	if open+3 < len(s) && s[open] == s[open+1] && s[open] == s[open+2] && (s[open] == '"' || s[open] == '\'') {
		open += 2 // """x"""
	}
	if open < len(s) && (s[open] == '"' || s[open] == '\'' || s[open] == '`') && !fence(s, open) {
		a.quoted, a.start = true, open+1
		a.end = quotedEnd(s, a.start, s[open])
		return a, a.end > a.start
	}
	if a.colon {
		if start, end := lineBelow(s, i); end > start {
			a.start, a.end, a.below = start, end, true
			return a, true
		}
	}
	a.start = i
	a.end = runUntil(s, i, maxAssigned, endOfAssigned)
	for a.end < len(s) && strings.IndexByte("({[", s[a.end]) >= 0 {
		if a.call = isCode(s[a.start:a.end]); a.call { // f(, self.x[
			break
		}
		a.end = runUntil(s, a.end+1, maxAssigned, endOfAssigned)
	}
	return a, a.end > a.start
}

// isFlag reports whether the name that holds s[from] starts with a dash after
// a space: a command's option.
func isFlag(s string, from, lo int) bool {
	i := from
	for i > lo && from-i < maxNameTail && (isWord(s[i-1]) || s[i-1] == '-') {
		i--
	}
	return i < len(s) && s[i] == '-' && (i == lo || s[i-1] == ' ' || s[i-1] == '"' || s[i-1] == '\'' || s[i-1] == '\n')
}

func quotedEnd(s string, i int, quote byte) int {
	end := min(len(s), i+maxAssigned)
	for i < end && s[i] != quote && s[i] != '\n' && s[i] != '\r' {
		if s[i] == '\\' && i+1 < end && (s[i+1] == quote || s[i+1] == 'n' || s[i+1] == 'r') {
			break
		}
		i++
	}
	return i
}
