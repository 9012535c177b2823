package redact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Custom is a detector of the operator's own: a pattern or a list of words.
type Custom struct {
	Name     string   // 1 to 32 of a-z, 0-9 and _; the kind of its tokens is custom.NAME
	Pattern  string   // expression of package regexp; its first group, if there is one, is what is replaced
	Words    []string // fixed texts, compared without case, whole words only
	Validate string   // one of CustomChecks, for what is replaced; empty for none
}

// Bounds of what an operator may add.
const (
	maxCustoms     = 64
	maxCustomName  = 32
	maxPattern     = 1024
	maxPatternSize = 4000 // instructions of a compiled pattern
	minWord        = 3
	maxWord        = 128
	maxWords       = 5000
	customPrefix   = "custom."
)

// customChecks are what Custom.Validate may name.
var customChecks = map[string]func(string) bool{
	"luhn":     func(s string) bool { return onlyDigits(s, luhn) },
	"verhoeff": func(s string) bool { return onlyDigits(s, verhoeff) },
	"mod11_10": func(s string) bool { return onlyDigits(s, mod11and10) },
	"mod97": func(s string) bool {
		d := plainNumber(s, make([]byte, 64))
		return len(d) > 4 && mod97(d[4:], d[:4]) == 1
	},
	"digit":       hasDigit,
	"mixed_case":  mixedCase,
	"entropy":     func(s string) bool { return len(s) >= 12 && entropy(s) >= 3.2 },
	"jwt":         jwtHeader,
	"not_numeric": checks["not_numeric"],
}

// CustomChecks lists what Custom.Validate may name.
func CustomChecks() []string {
	var names []string
	for name := range customChecks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func onlyDigits(s string, check func([]byte) bool) bool {
	d := plainNumber(s, make([]byte, 64))
	for _, c := range d {
		if !isDigit(c) {
			return false
		}
	}
	return len(d) > 1 && check(d)
}

// validateCustom returns every problem, named by the key a user would write.
func validateCustom(list []Custom) error {
	var errs []error
	if len(list) > maxCustoms {
		errs = append(errs, fmt.Errorf("detectors.custom must have at most %d entries, found %d", maxCustoms, len(list)))
	}
	seen := map[string]int{}
	for i, c := range list {
		at := fmt.Sprintf("detectors.custom[%d]", i)
		if c.Name == "" || len(c.Name) > maxCustomName || !onlyKindBytes(c.Name) {
			errs = append(errs, fmt.Errorf("%s.name must be 1 to %d of a-z, 0-9 and _", at, maxCustomName))
		} else if k, ok := seen[c.Name]; ok {
			errs = append(errs, fmt.Errorf("%s.name %q is already the name of detectors.custom[%d]", at, c.Name, k))
		}
		seen[c.Name] = i
		if (c.Pattern == "") == (len(c.Words) == 0) {
			errs = append(errs, fmt.Errorf("%s must have either pattern or words", at))
		}
		if c.Pattern != "" {
			if _, err := compilePattern(c.Pattern); err != nil {
				errs = append(errs, fmt.Errorf("%s.pattern %w", at, err))
			}
		}
		if len(c.Words) > maxWords {
			errs = append(errs, fmt.Errorf("%s.words must have at most %d entries, found %d", at, maxWords, len(c.Words)))
		}
		for k, w := range c.Words {
			if len(w) < minWord || len(w) > maxWord || strings.TrimSpace(w) != w {
				errs = append(errs, fmt.Errorf("%s.words[%d] must have %d to %d bytes and no space around it", at, k, minWord, maxWord))
			}
		}
		if c.Validate != "" && customChecks[c.Validate] == nil {
			errs = append(errs, fmt.Errorf("%s.validate must be one of %s, found %q", at, strings.Join(CustomChecks(), ", "), c.Validate))
		}
	}
	return errors.Join(errs...)
}

// compilePattern refuses what is no expression, what matches the empty text and
// what is very large.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("must have at most %d bytes, found %d", maxPattern, len(pattern))
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		var se *syntax.Error
		if errors.As(err, &se) {
			return nil, fmt.Errorf("must be a regular expression, found %s at byte %d", se.Code, max(0, strings.LastIndex(pattern, se.Expr)))
		}
		return nil, errors.New("must be a regular expression")
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxPatternSize {
		return nil, fmt.Errorf("must compile to at most %d instructions", maxPatternSize)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errors.New("must be a regular expression")
	}
	if re.MatchString("") {
		return nil, errors.New("must not match the empty text")
	}
	return re, nil
}

// customRules compiles detectors that have been validated.
func customRules(list []Custom) (out []*rule, err error) {
	for _, c := range list {
		r := &rule{kind: customPrefix + c.Name, custom: true}
		if c.Validate != "" {
			r.checks = append(r.checks, customChecks[c.Validate])
		}
		if c.Pattern == "" {
			r.find, r.keywords = (*rule).findWord, c.Words
			out = append(out, r)
			continue
		}
		if r.pattern, err = compilePattern(c.Pattern); err != nil {
			return nil, err
		}
		r.needle = needle(c.Pattern)
		out = append(out, r)
	}
	return out, nil
}

func (r *rule) findWord(s string, from, to, lo int, _ *int) (match, bool) {
	if from > lo && isWord(s[from]) && !leftEdge(s, from, lo) || to < len(s) && isWord(s[to-1]) && isWord(s[to]) {
		return match{}, false
	}
	return r.checked(s, match{from, to, from, r})
}

// patterns runs the operator's patterns over what lies between the tokens of a
// text that has what they need.
func (e *engine) patterns(s string, f *finder) {
	for _, r := range e.custom {
		if r.needle != "" && !strings.Contains(s, r.needle) {
			continue
		}
		f.work += len(s)
		for lo := 0; lo < len(s); {
			end, next := e.wallFrom(s, lo)
			for _, m := range r.pattern.FindAllStringSubmatchIndex(s[lo:end], -1) {
				from, to := m[0], m[1]
				if len(m) > 3 && m[2] >= 0 {
					from, to = m[2], m[3]
				}
				if from == to {
					continue
				}
				if hit, ok := r.checked(s, match{lo + from, lo + to, lo + from, r}); ok {
					f.found = append(f.found, hit)
				}
			}
			lo = next
		}
	}
}

// wallFrom is where the next token from s[i] on starts and ends; the text's end
// if there is none.
func (e *engine) wallFrom(s string, i int) (start, end int) {
	for {
		at := strings.Index(s[i:], tokenOpen)
		if at < 0 {
			return len(s), len(s)
		}
		i += at
		if end := tokenAt(s, i, e.kinds); end > 0 {
			return i, end
		}
		i++
	}
}

// needle is a fixed text that every match of the pattern holds, or empty if
// there is none of three bytes.
func needle(pattern string) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	if best := longestLiteral(tree.Simplify()); len(best) >= 3 {
		return best
	}
	return ""
}

func longestLiteral(re *syntax.Regexp) (best string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			best = string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		best = longestLiteral(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if l := longestLiteral(sub); len(l) > len(best) {
				best = l
			}
		}
	}
	return best
}
