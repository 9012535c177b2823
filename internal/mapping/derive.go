package mapping

import "github.com/otelcol-agent/otelcol-agent/semconv"

// derivation is a value that is made of a tool call while its arguments are
// still there.
type derivation uint8

const (
	effectClass derivation = iota + 1
	effectTarget
	provider
	digested
)

var derivations = map[string]derivation{
	"effect_class": effectClass, "effect_target": effectTarget, "provider": provider, "digest": digested,
}

// readsFrom: these are made of the field's own sources, not of a tool call.
func (d derivation) readsFrom() bool { return d == provider || d == digested }

// maxArgs bounds the sources of arguments that one rule reads.
const maxArgs = 4

func (s *scratch) applyEffect(f *field) {
	e := f.effect
	switch e.what {
	case provider:
		s.applyProvider(f)
		return
	case digested:
		s.applyDigest(f)
		return
	}
	tool := ""
	for i := range e.tool {
		if d, out := coerce(s.read(&e.tool[i]), typeString); out == fits {
			tool = d.s
			break
		}
	}
	var buf [maxArgs]string
	args := buf[:0]
	for i := range e.args {
		if d := s.read(&e.args[i]); len(args) < maxArgs {
			if text, ok := argsText(d); ok {
				args = append(args, text)
			}
		}
	}
	if e.what == effectTarget {
		s.sayTarget(f, e.words.target(tool, args, s.digestText))
		return
	}
	class := s.effectClass(e, tool, args)
	s.say(f, class)
	if s.t.makes[DigestEffects] && class != semconv.AppToolEffectClassNone && class != semconv.AppToolEffectClassRead {
		s.concludeTarget(e.words.target(tool, args, s.digestText))
	}
}

func (s *scratch) sayTarget(f *field, target string) {
	if target != "" {
		s.say(f, target)
	}
}

// concludeTarget says what a call that may change something acts on, where the
// emitter does not. An emitter that states an authority compares targets in its
// own words, with which ours would not agree.
func (s *scratch) concludeTarget(target string) {
	to := s.t.known.effectTarget
	if target == "" || s.decided[to.id] == s.gen || s.has(to.id) || s.has(s.t.known.authority.id) {
		return
	}
	s.decided[to.id] = s.gen
	s.inferred = append(s.inferred, to.key)
	s.sayText(to, target)
}

func (s *scratch) digestText(text string) string { return s.digest([]byte(text)) }

// argsText is the arguments as JSON or as a bare command line.
func argsText(d datum) (string, bool) {
	switch d.kind {
	case kindString, kindJSON:
		if isPython(d.s) {
			if fixed, ok := pythonJSON(d.s); ok {
				return fixed, true
			}
		}
		return d.s, true
	case kindValue:
		return d.v.AsString(), true // JSON of a map or a list
	}
	return "", false
}

func (s *scratch) effectClass(e *effectField, tool string, args []string) string {
	class := e.words.class(tool, args, e.cut)
	if class != semconv.AppToolEffectClassUnknown {
		return class
	}
	for i := range e.hints {
		if text, ok := argsText(s.read(&e.hints[i])); ok {
			if hinted, ok := hintClass(text); ok {
				return hinted
			}
		}
	}
	return class
}

// applyProvider concludes who serves a model from the shape of its id.
func (s *scratch) applyProvider(f *field) {
	for i := range f.from {
		model, out := coerce(s.read(&f.from[i]), typeString)
		if out != fits {
			continue
		}
		if word := s.t.providers.of(model.s); word != "" {
			s.say(f, word)
			return
		}
	}
}
