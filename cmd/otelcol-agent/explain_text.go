package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

func writeExplained(w io.Writer, p *tailPolicy, notes []string, runs []tail.Explanation) error {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	for _, n := range notes {
		say("note: %s\n", n)
	}
	for i := range runs {
		if i > 0 || len(notes) > 0 {
			say("\n")
		}
		explainRun(say, p, &runs[i])
	}
	var err error
	for line := range strings.Lines(b.String()) {
		if _, err = fmt.Fprintln(w, listing.Inert(strings.TrimSuffix(line, "\n"))); err != nil {
			break
		}
	}
	return err
}

func explainRun(say func(string, ...any), p *tailPolicy, x *tail.Explanation) {
	say("run       %s%s: %s in %s, %s\n", x.Named(), of(" of tenant ", x.Tenant), amount(int64(x.Spans), "span", "spans"),
		amount(int64(len(x.Traces)), "trace", "traces"), amount(int64(x.Records), "record that tells of it", "records that tell of it"))
	if x.Lost > 0 {
		say("          %s cannot be decoded\n", amount(int64(x.Lost), "span", "spans"))
	}
	if len(x.Classes) == 0 {
		say("classes   none\n")
	}
	for i, c := range x.Classes {
		say("%-9s %s by %s, %s%s\n", first(i, "classes"), c.Class, c.Rule, cmp.Or(of("proved by span ", c.Evidence), "told by a record"), verdictOf(&c))
	}
	if len(x.Rules) == 0 {
		say("rules     none\n")
	}
	decided := false
	for i, r := range x.Rules {
		what := "no span matches"
		if r.Matches {
			what = fmt.Sprintf("matches span %s, keeps %s: %s", r.Span, percent(r.Keep), standing(x.Baseline.Number, r.Threshold, r.Kept))
			if decided {
				what += "; an earlier rule decides"
			}
			decided = true
		}
		say("%-9s %s: %s\n", first(i, "rules"), r.Name, what)
	}
	explainSlow(say, &x.Slow)
	s := &x.Baseline
	say("baseline  keeps %s: %s%s\n", percent(s.Share), standing(s.Number, s.Threshold, s.Kept), upstream(s))
	explainQuota(say, &x.Quota)
	explainDecision(say, p, x)
}

func standing(n, threshold float64, kept bool) string {
	return fmt.Sprintf("number %s is %s the threshold %s", number(n), map[bool]string{true: "not below", false: "below"}[kept], number(threshold))
}

func verdictOf(c *tail.ClassReason) string {
	switch {
	case c.Protects:
		return ""
	case c.Hits < c.Needed:
		return fmt.Sprintf("; does not protect: %d of %d that are needed", c.Hits, c.Needed)
	}
	return "; does not protect: turned off"
}

func explainSlow(say func(string, ...any), s *tail.SlowReason) {
	if !s.On {
		say("slow      off\n")
		return
	}
	if len(s.Parts) == 0 {
		say("slow      no span invokes an agent or workflow or is a root with an operation\n")
	}
	for i, p := range s.Parts {
		limit := "; too few of its kind in this recording to tell"
		if p.Limit > 0 {
			limit = fmt.Sprintf("; slow is above %.3gs", p.Limit)
		}
		if p.Slow {
			limit += ": slow"
		}
		say("%-9s %s%s took %.3gs%s\n", first(i, "slow"), p.Operation, of(" of ", p.Agent), p.Seconds, limit)
	}
}

func upstream(s *tail.ShareReason) string {
	if s.Upstream >= 1 {
		return ""
	}
	return fmt.Sprintf("; upstream kept %s", percent(s.Upstream))
}

func explainQuota(say func(string, ...any), q *tail.QuotaReason) {
	switch size := fmt.Sprintf("%s, %s", amount(int64(q.Spans), "span", "spans"), amount(q.Bytes, "byte", "bytes")); {
	case !q.On:
		say("quota     none\n")
	case q.Exempt:
		say("quota     exempt, because it is protected (%s)\n", size)
	default:
		say("quota     %s%s; above its quota the tenant's shares are lowered\n", size, of(" of tenant ", q.Tenant))
	}
}

func explainDecision(say func(string, ...any), p *tailPolicy, x *tail.Explanation) {
	d := &x.Decision
	if !d.Keep {
		say("decision  drop, by %s of %s\n", d.Rule, p.name)
		return
	}
	why := "by " + d.Rule
	if d.Class != "" {
		why = "as " + d.Class + ", by " + d.Rule
	}
	say("decision  keep, %s of %s%s\n", why, p.name, of("; tracestate ", d.State))
	if x.Folded > 0 {
		say("          %s for which another one stands\n", amount(int64(x.Folded), "span", "spans"))
	}
	if x.Truncated > 0 {
		say("          %s without content\n", amount(int64(x.Truncated), "span", "spans"))
	}
}

func first(i int, word string) string {
	if i > 0 {
		return ""
	}
	return word
}

func of(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 4, 64) + " %" }

func number(f float64) string { return strconv.FormatFloat(f, 'f', 6, 64) }
