package synth

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// otherError is the class of an error that nobody named.
const otherError = "_OTHER"

// usualAttributes is how many an ordinary span has.
const usualAttributes = 20

// writer writes the attributes of one span.
type writer struct {
	a        *act
	span     ptrace.Span
	to       pcommon.Map
	inferred []string
}

func (t *turn) writer(a *act, span ptrace.Span) *writer {
	w := &writer{a: a, span: span, to: span.Attributes()}
	w.to.EnsureCapacity(usualAttributes)
	for r := a.facts.read(); r.next(); {
		w.put(&r.attr, r.inferred)
	}
	if a != &t.root {
		for r := t.root.facts.read(); r.next(); {
			if keys().turn[r.key] {
				w.put(&r.attr, r.inferred)
			}
		}
	}
	if a.partner != nil {
		for r := a.partner.facts.read(); r.next(); {
			if !a.facts.has(r.key) {
				w.put(&r.attr, true)
			}
		}
	}
	return w
}

func (w *writer) put(x *attr, inferred bool) {
	if p := places(); (x.key == p.errorType || x.key == p.errorLayer && w.a.failed) && !w.a.errored() {
		return // the word for a refusal; nothing ended in an error
	}
	name := keys().names[x.key]
	x.put(w.to, name)
	if inferred {
		w.inferred = append(w.inferred, name)
	}
}

// operation names the span after what it does and to what. An inferred one is
// that of a span which no record announced.
func (w *writer) operation(op, subject string, inferred bool) {
	w.to.PutStr(semconv.GenAIOperationName, op)
	if inferred {
		w.inferred = append(w.inferred, semconv.GenAIOperationName)
	}
	if subject != "" {
		op += " " + subject
	}
	w.span.SetName(op)
}

// enforced says what became of the answer to a call, where no record states it. A
// result proves that an allowed call ran; one that was cancelled may have been before
// it did. Of a refused call no result means that it was blocked, a result without
// error that it ran all the same. An error may be either, the refusal itself or that
// of a call that ran, unless a record says that the answer is obeyed.
func (w *writer) enforced() {
	if x, stated := w.a.facts.find(places().enforced); stated && !x.inferred {
		return
	}
	decision, guessed := w.a.answer()
	value := ""
	switch {
	case allows(decision):
		if w.a.closed && w.a.str(places().control) == "" {
			value = semconv.AppPermissionEnforcedExecuted
		}
	case !refuses(decision):
	case w.a.closed && w.a.failed && !w.a.blocked():
		value, guessed = semconv.AppPermissionEnforcedUnknown, true
	case w.a.closed && !w.a.failed:
		value = semconv.AppPermissionEnforcedExecuted
	default:
		value, guessed = semconv.AppPermissionEnforcedBlocked, true
	}
	if value == "" {
		return
	}
	w.to.PutStr(semconv.AppPermissionEnforced, value)
	if guessed {
		w.inferred = append(w.inferred, semconv.AppPermissionEnforced)
	}
}

// finish writes the class of an error and the list of what was inferred. A span
// that was sent with such a list takes it back by an empty one.
func (w *writer) finish() {
	if w.a.errored() && !w.a.facts.has(places().errorType) {
		w.to.PutStr(semconv.ErrorType, otherError)
	}
	if len(w.inferred) == 0 && !w.a.marked {
		return
	}
	w.a.marked = true
	slices.Sort(w.inferred)
	list := w.to.PutEmptySlice(semconv.AppMappingInferred)
	for _, name := range slices.Compact(w.inferred) {
		list.AppendEmpty().SetStr(name)
	}
}
