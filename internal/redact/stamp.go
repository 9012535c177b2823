package redact

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// stamp is what app.redaction.* said on the item before this pass.
type stamp struct {
	boundary, policy string
	count            int64
	counted          bool
}

// see notes an attribute of the stamp. A value of another type counts as
// absent.
func (s *stamp) see(key string, v pcommon.Value) {
	switch key {
	case semconv.AppRedactionBoundary:
		s.boundary = v.Str()
	case semconv.AppRedactionPolicy:
		s.policy = v.Str()
	case semconv.AppRedactionCount:
		if v.Type() == pcommon.ValueTypeInt && v.Int() >= 0 {
			s.count, s.counted = v.Int(), true
		}
	}
}

// stampRoom is the stamp and a little for the steps that follow: growing by
// itself, a list of attributes doubles.
const stampRoom = 6

// begin starts an item that is stamped.
func (w *walk) begin() {
	w.stamp, w.tally.item = stamp{}, 0
	w.echo.reset()
	w.lately.next = 0
	w.agent = false
}

// end stamps the item: the last boundary and policy it passed, and how many of
// its values all boundaries so far replaced. A pass that replaces nothing
// behind the same boundary and policy changes nothing.
func (w *walk) end(attrs pcommon.Map) {
	p, s := w.p, w.stamp
	if w.tally.item == 0 && s.counted && s.boundary == p.set.Boundary && s.policy == p.hash {
		return
	}
	if !s.counted {
		attrs.EnsureCapacity(attrs.Len() + stampRoom)
	}
	attrs.PutStr(semconv.AppRedactionBoundary, p.set.Boundary)
	attrs.PutStr(semconv.AppRedactionPolicy, p.hash)
	attrs.PutInt(semconv.AppRedactionCount, s.count+w.tally.item)
}
