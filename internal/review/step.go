package review

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Step is the page of one step.
type Step struct {
	StoryRow
	Tenant   string
	Task     Ref
	Trace    Ref
	Span     string
	Parent   *Ref
	Attempt  int64
	Began    string
	Status   string
	Message  string
	Service  string
	Scope    string
	Children []Ref
	Groups   []AttrGroup
	Events   []Event
	Records  []Event
	Unlinked int
}

// AttrGroup is attributes of one origin.
type AttrGroup struct {
	Title string
	Attrs []Attr
}

// Attr is one attribute.
type Attr struct {
	Key, Value string
	Digest     bool
	Inferred   bool  // concluded by the mapping, not stated by the sender
	Same       []Ref // other steps with an equal digest
	SameMore   int
}

// Event is an event of a span or a record in its context.
type Event struct {
	Time, Name string
	Attrs      []Attr
}

const (
	maxSame     = 6
	maxChildren = 50
	maxEvents   = 50
)

// errorOf is the kind of error of a step.
func errorOf(s *evidence.Step) string { return s.Span.Attrs.Str(semconv.ErrorType) }

// NewStep builds the page of a step; ok is false if the run has none of that id.
func NewStep(r *evidence.Reading, id evidence.StepID) (page Step, ok bool) {
	steps := r.Steps()
	i := slices.IndexFunc(steps, func(s evidence.Step) bool { return s.Span.ID == id })
	if i < 0 {
		return Step{}, false
	}
	start, _ := r.Window()
	s := &steps[i]
	sp := s.Span
	page = Step{
		StoryRow: storyRow(steps, i, 0, start), Tenant: sp.Tenant, Span: sp.ID.Span.String(), Attempt: s.Attempt, Began: clock(sp.Start), Status: sp.Status,
		Message: sp.StatusMessage, Service: strings.TrimSpace(sp.Service + " " + sp.ServiceVersion), Scope: strings.TrimSpace(sp.Scope + " " + sp.ScopeVersion), Unlinked: s.Unlinked,
		Task: Ref{title(s.Task), runPlace(sp.Tenant, string(s.Task), sp.ID.Trace.String())}, Trace: Ref{sp.ID.Trace.String(), TracePlace(sp.Tenant, sp.ID.Trace.String())},
	}
	if s.Parent >= 0 {
		page.Parent = &Ref{nameOf(&steps[s.Parent]), stepPlace(&steps[s.Parent])}
	}
	for c := range steps {
		if steps[c].Parent == i && len(page.Children) < maxChildren {
			page.Children = append(page.Children, Ref{nameOf(&steps[c]), stepPlace(&steps[c])})
		}
	}
	same := digests(steps)
	page.Groups = groups(sp, func(v string) []int { return others(same[v], i) }, steps, start)
	for _, e := range sp.Events[:min(len(sp.Events), maxEvents)] {
		page.Events = append(page.Events, Event{offset(e.Time - start), e.Name, attrsOf(e.Attrs)})
	}
	for _, rec := range s.Records[:min(len(s.Records), maxEvents)] {
		page.Records = append(page.Records, Event{offset(rec.Time - start), rec.Event, attrsOf(rec.Attrs)})
	}
	return page, true
}

// looksDigest reports whether a text stands for content: equal ones mean equal
// content.
func looksDigest(v string) bool {
	if strings.HasPrefix(v, "[redacted:") && strings.HasSuffix(v, "]") { // a token in place of content
		return true
	}
	kind, sum, ok := strings.Cut(v, ":")
	if !ok || len(sum) < 8 || len(v) > 200 {
		return false
	}
	switch kind {
	case "hmac", "sha256", "sha1", "sha512", "blake2b", "blake3", "md5":
		return true
	}
	return false
}

// digests finds the steps that state each digest.
func digests(steps []evidence.Step) map[string][]int {
	out := map[string][]int{}
	for i := range steps {
		for _, v := range steps[i].Span.Attrs {
			if s, ok := v.(string); ok && looksDigest(s) {
				if l := out[s]; len(l) == 0 || l[len(l)-1] != i {
					out[s] = append(l, i)
				}
			}
		}
	}
	return out
}

func others(list []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(j int) bool { return j == i })
}

// provenance is what the collector says of its own work on a span.
var provenance = []string{"app.mapping.", "app.redaction.", "app.sampling."}

// origin is where an attribute comes from.
type origin int

const (
	fromEvidence origin = iota
	fromGenAI
	fromOther
	fromCollector
	fromResource
)

var originTitles = [...]string{fromEvidence: "Evidence", fromGenAI: "GenAI", fromOther: "Other", fromCollector: "Provenance", fromResource: "Resource"}

func originOf(key string) origin {
	switch {
	case slices.ContainsFunc(provenance, func(group string) bool { return strings.HasPrefix(key, group) }):
		return fromCollector
	case strings.HasPrefix(key, "app."):
		return fromEvidence
	case strings.HasPrefix(key, "gen_ai."), strings.HasPrefix(key, "mcp."):
		return fromGenAI
	}
	return fromOther
}

// groups sorts attributes by where they come from.
func groups(sp *evidence.Span, same func(string) []int, steps []evidence.Step, start int64) []AttrGroup {
	var list [len(originTitles)]AttrGroup
	for from, title := range originTitles {
		list[from].Title = title
	}
	inferred := sp.Attrs.Strings(semconv.AppMappingInferred)
	for _, a := range attrsOf(sp.Attrs) {
		a.Inferred = slices.Contains(inferred, a.Key)
		if a.Digest {
			found := same(a.Value)
			for _, j := range found[:min(len(found), maxSame)] {
				a.Same = append(a.Same, Ref{nameOf(&steps[j]) + " " + offset(steps[j].Span.Start-start), stepPlace(&steps[j])})
			}
			a.SameMore = len(found) - len(a.Same)
		}
		g := &list[originOf(a.Key)]
		g.Attrs = append(g.Attrs, a)
	}
	list[fromResource].Attrs = attrsOf(sp.Resource)
	return slices.DeleteFunc(list[:], func(g AttrGroup) bool { return len(g.Attrs) == 0 })
}

func attrsOf(attrs evidence.Attrs) []Attr {
	out := make([]Attr, 0, len(attrs))
	for k, v := range attrs {
		text := valueText(v)
		out = append(out, Attr{Key: k, Value: text, Digest: looksDigest(text)})
	}
	slices.SortFunc(out, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// valueText writes a value as a reader has it.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return "0x" + hex.EncodeToString(v)
	case []any, map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return "(not shown)"
		}
		return string(b)
	}
	return fmt.Sprint(v)
}
