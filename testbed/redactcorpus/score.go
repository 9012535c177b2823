package redactcorpus

import (
	"sort"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
)

// KindScore counts the labels of one kind.
type KindScore struct {
	Class, Kind    string
	Labels, Missed int
}

// Recall is the share of labels of which nothing is left.
func (k KindScore) Recall() float64 { return float64(k.Labels-k.Missed) / float64(max(k.Labels, 1)) }

// Miss is a label that is still to be read, or a token that stands for nothing
// of a label.
type Miss struct {
	Case  Case
	Label Label  // zero for a token too many
	Out   string // the text behind the redactor
	Rule  string // of a token too many
}

// Report is what a redactor did to a corpus.
type Report struct {
	Kinds       []KindScore
	Missed      []Miss
	TooMany     []Miss
	Tokens      map[string]int // by class of the rule
	Wrong       map[string]int // tokens that stand for nothing of a label, by class
	WrongByRule map[string]int
	RightByRule map[string]int
	Cases       int
}

// Recall over all labels of a class.
func (r Report) Recall(class string) float64 {
	all := KindScore{}
	for _, k := range r.Kinds {
		if k.Class == class {
			all.Labels, all.Missed = all.Labels+k.Labels, all.Missed+k.Missed
		}
	}
	return all.Recall()
}

// Precision is the share of tokens that stand for a label or a part of one.
func (r Report) Precision(class string) float64 {
	return float64(r.Tokens[class]-r.Wrong[class]) / float64(max(r.Tokens[class], 1))
}

// redactor is the policy, asked as a pipeline asks it: one log attribute.
type redactor struct {
	policy *redact.Policy
	pii    map[string]bool
}

// NewRedactor has every detector on and nothing else.
func newRedactor() (*redactor, error) {
	p, err := redact.Compile(redact.Settings{
		Boundary: "measure", Key: "measuring needs no secret key", Secrets: true, PII: redact.PIIKinds(),
		Content: redact.Keep, PersonIDs: redact.Keep, Unknown: redact.Keep,
	})
	if err != nil {
		return nil, err
	}
	r := &redactor{p, map[string]bool{}}
	for _, k := range redact.PIIKinds() {
		r.pii[k] = true
	}
	return r, nil
}

func (r *redactor) text(s string) string {
	ld := plog.NewLogs()
	attrs := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes()
	attrs.PutStr("text", s)
	r.policy.Logs(ld)
	v, _ := attrs.Get("text")
	return v.Str()
}

// Measure runs the cases through a redactor with every detector on.
func Measure(cases []Case) (Report, error) {
	r, err := newRedactor()
	if err != nil {
		return Report{}, err
	}
	rep := Report{Tokens: map[string]int{}, Wrong: map[string]int{}, WrongByRule: map[string]int{}, RightByRule: map[string]int{}, Cases: len(cases)}
	kinds := map[[2]string]*KindScore{}
	for _, c := range cases {
		out := r.text(c.Text)
		pieces, _ := split(out)
		left := strings.Join(pieces, "\x00")
		for _, l := range c.Labels {
			k := kinds[[2]string{l.Class, l.Kind}]
			if k == nil {
				k = &KindScore{Class: l.Class, Kind: l.Kind}
				kinds[[2]string{l.Class, l.Kind}] = k
			}
			k.Labels++
			if survives(left, l.Text, c.around()) {
				k.Missed++
				rep.Missed = append(rep.Missed, Miss{Case: c, Label: l, Out: out})
			}
		}
		rep.tokens(r, c, out)
	}
	for _, k := range kinds {
		rep.Kinds = append(rep.Kinds, *k)
	}
	sort.Slice(rep.Kinds, func(i, j int) bool {
		a, b := rep.Kinds[i], rep.Kinds[j]
		return a.Class > b.Class || a.Class == b.Class && a.Kind < b.Kind
	})
	return rep, nil
}

// maxLeft is the longest part of a label that may be left.
const maxLeft = 7

// survives reports whether more than a few bytes of the label are still there
// that do not stand around it too.
func survives(out, label, around string) bool {
	n := min(len(label), maxLeft+1)
	if len(label) > 400 { // a block: its dashes may stand elsewhere too
		n = 24
	}
	for i := 0; i+n <= len(label); i++ {
		if part := label[i : i+n]; strings.Contains(out, part) && !strings.Contains(around, part) {
			return true
		}
	}
	return false
}

// around is the case's text without its labels.
func (c Case) around() string {
	s := c.Text
	for _, l := range c.Labels {
		s = strings.ReplaceAll(s, l.Text, "\x00")
	}
	return s
}

const tokenOpen = "[redacted:"

// tokens judges every token of the result by what it stands for.
func (rep *Report) tokens(r *redactor, c Case, out string) {
	pieces, rules := split(out)
	gaps := align(c.Text, pieces)
	for i, rule := range rules {
		class := Secret
		if r.pii[rule] {
			class = PII
		}
		rep.Tokens[class]++
		if i < len(gaps) && touchesLabel(c, gaps[i][0], gaps[i][1]) {
			rep.RightByRule[rule]++
			continue
		}
		rep.Wrong[class]++
		rep.WrongByRule[rule]++
		rep.TooMany = append(rep.TooMany, Miss{Case: c, Out: out, Rule: rule})
	}
}

// split takes a result apart into the texts that stayed and the rules of the
// tokens between them.
func split(out string) (pieces, rules []string) {
	for {
		at := strings.Index(out, tokenOpen)
		if at < 0 {
			return append(pieces, out), rules
		}
		rest := out[at+len(tokenOpen):]
		colon, end := strings.IndexByte(rest, ':'), strings.IndexByte(rest, ']')
		if colon < 0 || end < colon {
			return append(pieces, out), rules
		}
		pieces, rules = append(pieces, out[:at]), append(rules, rest[:colon])
		out = rest[end+1:]
	}
}

// align finds which parts of the input the tokens stand for: the pieces lie in
// it in order, first and last at its ends.
func align(in string, pieces []string) [][2]int {
	last := len(pieces) - 1
	var try func(k, at int) [][2]int
	try = func(k, at int) [][2]int { // piece k ends the gap that starts at
		if k == last {
			if from := len(in) - len(pieces[k]); from > at && in[from:] == pieces[k] {
				return [][2]int{{at, from}}
			}
			return nil
		}
		for from := at + 1; ; from++ {
			i := strings.Index(in[min(from, len(in)):], pieces[k])
			if i < 0 {
				return nil
			}
			from += i
			if from > len(in) {
				return nil
			}
			if rest := try(k+1, from+len(pieces[k])); rest != nil {
				return append([][2]int{{at, from}}, rest...)
			}
			if pieces[k] == "" {
				return nil
			}
		}
	}
	if last == 0 || !strings.HasPrefix(in, pieces[0]) {
		return nil
	}
	return try(1, len(pieces[0]))
}

func touchesLabel(c Case, from, to int) bool {
	for _, l := range c.Labels {
		for at := 0; ; {
			i := strings.Index(c.Text[at:], l.Text)
			if i < 0 {
				break
			}
			at += i
			if from < at+len(l.Text) && at < to {
				return true
			}
			at++
		}
	}
	return false
}
