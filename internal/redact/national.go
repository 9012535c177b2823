package redact

import (
	"fmt"
	"strings"
)

// nationalForm is one way to write the ids of one country; rules/numbers.yaml
// explains the fields.
type nationalForm struct {
	Name    string   `yaml:"name"`
	Letters int      `yaml:"letters"`
	First   []int    `yaml:"first"`
	Apart   bool     `yaml:"apart"` // two letters and a space stand before the digits
	Shape   string   `yaml:"shape"`
	Check   string   `yaml:"check"`
	Words   []string `yaml:"words"`
	Any     bool     `yaml:"any"`

	shape shape
	check func([]byte) bool
	words *wordList
}

func (t *numberTables) addNational(f *nationalForm) (err error) {
	if f.shape, err = compileShape(f.Shape); err != nil {
		return err
	}
	var ok bool
	if f.check, ok = idChecks[f.Check]; !ok {
		return fmt.Errorf("check %q is not known", f.Check)
	}
	if f.Letters > maxLead || len(f.First) == 0 {
		return fmt.Errorf("letters must be at most %d, first must not be empty", maxLead)
	}
	f.words = newWordList(f.Words)
	for _, n := range f.First {
		t.national[f.Letters][n] = append(t.national[f.Letters][n], f)
	}
	return nil
}

func startsNational(letters, digits int) bool {
	return digits < maxFirst && len(tables().national[letters][digits]) > 0
}

// ofRange reports whether the digits are a range of bytes or a place: bytes
// 230431-1559618/2306591, +340308-1181434.
func ofRange(s string, start, end int) bool {
	return start > 0 && s[start-1] == '+' || end+1 < len(s) && s[end] == '/' && isDigit(s[end+1]) || strings.HasSuffix(s[:start], "bytes ")
}

// findNational tries the forms that start with so many letters and digits.
func (r *rule) findNational(n *numberAt) (best match, ok bool) {
	t := tables()
	for _, f := range t.national[n.letters][n.first] {
		start := n.start
		if f.Apart {
			if start -= 3; start < n.lo || n.s[start+2] != ' ' || start > n.lo && !leftEdge(n.s, start, n.lo) {
				continue
			}
		}
		c := capture{start, -1}
		end := f.shape.match(n.s, start, &c, n.work)
		if end < 0 || goesOn(n.s, end) || ofRange(n.s, start, end) || end <= best.end {
			continue
		}
		var buf [24]byte
		plain := plainNumber(n.s[start:end], buf[:])
		*n.work += len(plain)
		if plain == nil || n.inGrid(start, end) || !f.check(plain) || f.Letters == 0 && OneByte(string(plain)) {
			continue
		}
		if len(f.Words) > 0 && !f.words.before(n.s, start, n.lo, n.work) && !(f.Any && t.common.before(n.s, start, n.lo, n.work)) {
			continue
		}
		best, ok = match{start, end, start, r}, true
	}
	return best, ok
}
