package redact

import (
	"regexp"
	"testing"
)

// fifteen are what an operator writes who has only expressions: fifteen of the
// three hundred kinds, each run over every text.
var fifteen = func() (list []*regexp.Regexp) {
	for _, pattern := range []string{
		`(?:AKIA|ASIA)[A-Z2-7]{16}`, `gh[pousr]_[A-Za-z0-9]{36,251}`, `glpat-[A-Za-z0-9_-]{20,}`, `sk-[A-Za-z0-9_-]{20,}`, `xox[abprs]-[A-Za-z0-9-]{20,}`, `AIza[A-Za-z0-9_-]{35}`,
		`eyJ[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`, `(?i)bearer +[A-Za-z0-9._~+/-]{12,}`, `(?i)(?:password|passwd|pwd) *[:=] *\S+`, `(?i)(?:secret|token|api_?key) *[:=] *\S{8,}`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----`, `://[^\s:@/]*:[^\s@/]+@`, `[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`, `\b(?:[0-9][ -]?){13,16}\b`, `\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b`,
	} {
		list = append(list, regexp.MustCompile(pattern))
	}
	return list
}()

// BenchmarkFifteenRegexps is the same text through fifteen expressions.
func BenchmarkFifteenRegexps(b *testing.B) {
	s := text(4096)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		for _, re := range fifteen {
			if re.MatchString(s) {
				b.Fatal("the text is clean")
			}
		}
	}
	reportRate(b, before, len(s))
}
