package redact

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// shape is a rule's pattern, compiled from a subset of the usual expression
// syntax: literals, classes, bounded and unbounded repeats, options, ordered
// alternatives and one capture. Repeats are possessive: they take what they can
// and give nothing back, so a match reads each byte a bounded number of times.
type shape []op

type op struct {
	kind     opKind
	text     string // opLiteral
	fold     bool
	set      *[256]bool // opClass
	min, max int        // opClass and opRepeat; max < 0 is no limit
	subs     []shape    // opAny: alternatives in order; opRepeat, opGroup: one
}

type opKind uint8

const (
	opLiteral opKind = iota
	opClass
	opAny
	opRepeat
	opGroup
)

// capture is where a match's own part lies; the whole match if the shape has
// no group.
type capture struct{ start, end int }

func compileShape(pattern string) (shape, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return compileNode(re)
}

func compileNode(re *syntax.Regexp) (shape, error) {
	if re.Flags&syntax.NonGreedy != 0 && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpQuest || re.Op == syntax.OpRepeat) {
		return nil, fmt.Errorf("lazy repeat %s is not possible: repeats are possessive", re)
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return nil, nil
	case syntax.OpLiteral:
		text, folded := string(re.Rune), re.Flags&syntax.FoldCase != 0
		if folded {
			text = strings.ToLower(text)
		}
		return shape{{kind: opLiteral, text: text, fold: folded}}, nil
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return shape{{kind: opClass, set: classOf(re), min: 1, max: 1}}, nil
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpCapture:
		sub, err := compileNode(re.Sub[0])
		return shape{{kind: opGroup, subs: []shape{sub}}}, err
	case syntax.OpAlternate:
		o := op{kind: opAny}
		for _, s := range re.Sub {
			sub, err := compileNode(s)
			if err != nil {
				return nil, err
			}
			o.subs = append(o.subs, sub)
		}
		return shape{o}, nil
	case syntax.OpStar:
		return repeat(re, 0, -1)
	case syntax.OpPlus:
		return repeat(re, 1, -1)
	case syntax.OpQuest:
		return repeat(re, 0, 1)
	case syntax.OpRepeat:
		return repeat(re, re.Min, re.Max)
	}
	return nil, fmt.Errorf("%s is not part of the pattern language", re)
}

func concat(subs []*syntax.Regexp) (out shape, err error) {
	for _, s := range subs {
		sub, err := compileNode(s)
		if err != nil {
			return nil, err
		}
		out = append(out, sub...)
	}
	return out, nil
}

func repeat(re *syntax.Regexp, lo, hi int) (shape, error) {
	sub, err := compileNode(re.Sub[0])
	if err != nil {
		return nil, err
	}
	if len(sub) == 1 && sub[0].kind == opClass && sub[0].min == 1 && sub[0].max == 1 {
		return shape{{kind: opClass, set: sub[0].set, min: lo, max: hi}}, nil
	}
	return shape{{kind: opRepeat, min: lo, max: hi, subs: []shape{sub}}}, nil
}

// classOf turns a class of runes into one of bytes. The bytes of runes beyond
// ASCII are in the class if it is open-ended, as negated classes are.
func classOf(re *syntax.Regexp) *[256]bool {
	set := &[256]bool{}
	runes := re.Rune
	switch re.Op {
	case syntax.OpAnyChar:
		runes = []rune{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		runes = []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	}
	for i := 0; i+1 < len(runes); i += 2 {
		for r := runes[i]; r <= runes[i+1] && r < 0x80; r++ {
			set[r] = true
		}
		if runes[i+1] == unicode.MaxRune {
			for b := 0x80; b < 0x100; b++ {
				set[b] = true
			}
		}
	}
	return set
}

// match reads the shape at s[i:] and returns where it ends, or -1. It adds the
// bytes it looked at to work.
func (sh shape) match(s string, i int, c *capture, work *int) int {
	for k := range sh {
		if i = sh[k].match(s, i, c, work); i < 0 {
			return -1
		}
	}
	return i
}

func (o *op) match(s string, i int, c *capture, work *int) int {
	switch o.kind {
	case opLiteral:
		*work += len(o.text)
		if len(s)-i < len(o.text) {
			return -1
		}
		if got := s[i : i+len(o.text)]; got == o.text || o.fold && foldEqual(got, o.text) {
			return i + len(o.text)
		}
		return -1
	case opClass:
		end := len(s)
		if o.max >= 0 && i+o.max < end {
			end = i + o.max
		}
		j := i
		for j < end && o.set[s[j]] {
			j++
		}
		*work += j - i + 1
		if j < len(s) && s[j] == '%' && o.set['+'] && o.set['/'] && !o.set['%'] {
			return o.percent(s, i, work)
		}
		if j-i < o.min {
			return -1
		}
		return j
	case opAny:
		for _, alt := range o.subs {
			if j := alt.match(s, i, c, work); j >= 0 {
				return j
			}
		}
		return -1
	case opRepeat:
		for n := 0; o.max < 0 || n < o.max; n++ {
			j := o.subs[0].match(s, i, c, work)
			if j < 0 && n < o.min {
				return -1
			}
			if j < 0 || j == i {
				break
			}
			i = j
		}
		return i
	default: // opGroup
		j := o.subs[0].match(s, i, c, work)
		if j >= 0 {
			c.start, c.end = i, j
		}
		return j
	}
}

// percent reads a class of base64 in which + / and = may be written as in a URL,
// each counting as one.
func (o *op) percent(s string, i int, work *int) int {
	n := 0
	for ; i < len(s) && (o.max < 0 || n < o.max); n++ {
		if o.set[s[i]] {
			i++
			continue
		}
		if s[i] != '%' || i+2 >= len(s) {
			break
		}
		switch c := fold(s[i+2]); {
		case s[i+1] == '2' && (c == 'b' || c == 'f'), s[i+1] == '3' && c == 'd':
			i += 3
			continue
		}
		break
	}
	*work += n + 1
	if n < o.min {
		return -1
	}
	return i
}

// foldEqual compares with lower, which is lower case already.
func foldEqual(s, lower string) bool {
	for i := 0; i < len(s); i++ {
		if fold(s[i]) != lower[i] {
			return false
		}
	}
	return true
}
