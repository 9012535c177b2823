package redact

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Found is a part of a text that does not pass. It holds no text.
type Found struct {
	Rule       string // one of Policy.Rules, or a Reason's name if the whole could not be judged
	Start, End int    // bytes of the text
	Token      string // what stands for it
}

// Find tells what of a text the rules replace, in the order in which it stands
// there. A text that is longer than a value may be is not read.
func (p *Policy) Find(s string) []Found {
	var found []Found
	w := p.walk()
	w.enterTenant(pcommon.NewResource())
	tokens := edits{}
	w.watch = func(reading string, matches []match) {
		round := make([]edit, 0, len(matches))
		for _, m := range matches {
			token := w.token(m.rule.kind, w.digest.text(reading[m.start:m.end]))
			start, end := tokens.origin(m.start), tokens.origin(m.end)
			found = append(found, Found{m.rule.kind, start, end, token})
			round = append(round, edit{start, end, len(token)})
		}
		tokens = tokens.with(round)
	}
	out, changed := w.text(s, LogBody)
	w.watch = nil
	hits := p.done(w)
	for f := range hits.Failures {
		return []Found{{f.Reason.String(), 0, len(s), out}}
	}
	for hit, n := range hits.Values {
		for _, f := range found {
			if f.Rule == hit.Rule {
				n--
			}
		}
		if changed && n > 0 { // the whole text was some other form of a secret
			return []Found{{hit.Rule, 0, len(s), out}}
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return a.Start - b.Start })
	return found
}

// edit is a part of the text that a token of the given size stands for.
type edit struct{ start, end, token int }

// edits are in order and apart. No rule looks over a token, so what a later round
// finds lies between them.
type edits []edit

// origin is where in the text the byte is that stands at i behind the edits.
func (e edits) origin(i int) int {
	shift := 0
	for _, x := range e {
		if i < x.start-shift+x.token {
			break
		}
		shift += x.end - x.start - x.token
	}
	return i + shift
}

func (e edits) with(more []edit) edits {
	out := append(slices.Clone(e), more...)
	slices.SortFunc(out, func(a, b edit) int { return a.start - b.start })
	return out
}

// Token is what stands for a value that is replaced whole, but for its kind: the
// hex is that of every rule.
func (p *Policy) Token(tenant, value string) string {
	w := p.walk()
	defer p.done(w)
	r := pcommon.NewResource()
	r.Attributes().PutStr(p.set.TenantKey, tenant)
	w.enterTenant(r)
	return w.token(fixedKinds[rulePerson], w.digest.text(value))
}
