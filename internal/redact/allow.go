package redact

import (
	"fmt"
	"strings"
)

// allowed are values that may pass although a rule finds them: whole findings
// only, and for @domain the addresses there.
type allowed struct {
	values  map[string]bool
	domains map[string]bool // with the @, lower case
}

const (
	maxAllowed      = 10000
	maxAllowedValue = 4096
)

func newAllowed(list []string) *allowed {
	if len(list) == 0 {
		return nil
	}
	a := &allowed{map[string]bool{}, map[string]bool{}}
	for _, v := range list {
		if strings.HasPrefix(v, "@") {
			a.domains[strings.ToLower(v)] = true
			continue
		}
		a.values[v] = true
	}
	return a
}

// frees reports whether what the rule found in s may stay.
func (a *allowed) frees(s string, m match) bool {
	text := s[m.start:m.end]
	if a.values[text] {
		return true
	}
	if m.rule.kind != emailKind || len(a.domains) == 0 {
		return false
	}
	at := strings.LastIndexByte(text, '@')
	return at > 0 && a.domains[strings.ToLower(text[at:])]
}

const emailKind = "email"

// free drops the findings that are allowed.
func (f *finder) free(s string, a *allowed) {
	if a == nil || len(f.found) == 0 {
		return
	}
	kept := f.found[:0]
	for _, m := range f.found {
		if !a.frees(s, m) {
			kept = append(kept, m)
		}
	}
	if f.found = kept; len(kept) == 0 {
		clear(f.last)
	}
}

// validateAllowed names entries that would free nothing or everything. It never
// shows one: a value may be a secret.
func validateAllowed(list []string) error {
	if len(list) > maxAllowed {
		return fmt.Errorf("detectors.allow_values must have at most %d entries, found %d", maxAllowed, len(list))
	}
	for i, v := range list {
		if v == "" || v == "@" || len(v) > maxAllowedValue || strings.TrimSpace(v) != v {
			return fmt.Errorf("detectors.allow_values[%d] must be a whole value, or @ and a domain, of 1 to %d bytes and no space around it", i, maxAllowedValue)
		}
	}
	return nil
}
