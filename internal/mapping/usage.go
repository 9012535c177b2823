package mapping

import (
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// settleUsage brings token counts to the snapshot's meaning: input includes
// cached tokens, output includes reasoning. Counts are only ever added, since
// subtracting would turn a wrong guess into a loss. The basis is recorded.
func (s *scratch) settleUsage() {
	k := &s.t.known
	input, ok := s.intOf(k.input)
	output, hasOutput := s.intOf(k.output)
	if hasOutput {
		if reasoning, _ := s.intOf(k.reasoning); reasoning > 0 && s.outputExcludes(input, output, reasoning) {
			s.set(k.output, datum{kind: kindInt, i: output + reasoning})
		}
	}
	if !ok {
		return
	}
	read, _ := s.intOf(k.cacheRead)
	created, _ := s.intOf(k.cacheWrite)
	b := s.basis
	if b == basisAssumed || b == basisUnset {
		b = basisInclusive
		if s.provesExclusive(input, output, read+created) {
			b = basisExclusive
		} else if s.basis == basisAssumed {
			s.inferred = append(s.inferred, k.basis.key)
		}
	}
	word := semconv.AppMappingUsageBasisInclusive
	if b == basisExclusive {
		word = semconv.AppMappingUsageBasisExclusive
		if read+created > 0 {
			s.set(k.input, datum{kind: kindInt, i: input + read + created})
		}
	}
	if !s.has(k.basis.id) {
		s.sayText(k.basis, word)
	}
}

// provesExclusive is one-way evidence: more cached tokens than input, or a total
// that is the sum of all four. A total of input and output proves nothing, since
// several emitters compute it themselves.
func (s *scratch) provesExclusive(input, output, cached int64) bool {
	if cached <= 0 {
		return false
	}
	if cached > input {
		return true
	}
	total, ok := s.firstInt(s.total)
	return ok && total == input+output+cached
}

// outputExcludes reports whether reasoning has to be added to output: the rule
// says so, or leaves it to the numbers and their total does.
func (s *scratch) outputExcludes(input, output, reasoning int64) bool {
	if s.outputBasis != basisAssumed {
		return s.outputBasis == basisExclusive
	}
	total, ok := s.firstInt(s.outputTotal)
	return reasoning > output || ok && total == input+output+reasoning
}

func (s *scratch) firstInt(from []source) (int64, bool) {
	for i := range from {
		if d, out := coerce(s.read(&from[i]), typeInt); out == fits {
			return d.i, true
		}
	}
	return 0, false
}

// moveAggregates takes sums over children out of the usage keys, so that adding
// up a trace counts each token once. It runs after commit. A sum that the emitter
// itself states beside them stays, and another figure is set aside.
func moveAggregates(attrs pcommon.Map) {
	var keys []string
	for k := range attrs.All() {
		if strings.HasPrefix(k, usagePrefix) {
			keys = append(keys, k)
		}
	}
	for _, key := range keys {
		held := pcommon.NewValueEmpty()
		if v, ok := attrs.Get(key); ok {
			v.MoveTo(held)
		}
		attrs.Remove(key)
		to := aggregatePrefix + strings.TrimPrefix(key, usagePrefix)
		if stated, ok := attrs.Get(to); ok {
			if stated.Equal(held) {
				continue
			}
			to = semconv.AppOriginal + "." + key
		}
		held.MoveTo(attrs.PutEmpty(to))
	}
}
