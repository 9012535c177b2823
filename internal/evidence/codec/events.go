package codec

import (
	"encoding/binary"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Events appends the events of a span that starts at start.
func (e *Encoder) Events(b []byte, events []evidence.SpanEvent, start int64) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(events)))
	for i := range events {
		ev := &events[i]
		// As a distance from the start, which is short; it may wrap around, and
		// then does so on the way back too.
		b = binary.AppendVarint(b, ev.Time-start)
		b = e.key(b, ev.Name)
		var err error
		if b, err = e.Attrs(b, ev.Attrs, nil); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Events reads what Encoder.Events wrote, nil from no bytes.
func (d *Decoder) Events(b []byte, start int64) ([]evidence.SpanEvent, error) {
	if len(b) == 0 {
		return nil, nil
	}
	d.b = b
	n, err := d.count()
	if err != nil {
		return nil, err
	}
	events := make([]evidence.SpanEvent, 0, n)
	for range n {
		distance, size := binary.Varint(d.b)
		if size <= 0 {
			return nil, ErrCorrupt
		}
		d.b = d.b[size:]
		ev := evidence.SpanEvent{Time: start + distance}
		if ev.Name, err = d.key(); err != nil {
			return nil, err
		}
		m, err := d.mapValue(0)
		if err != nil {
			return nil, err
		}
		if len(m) > 0 {
			ev.Attrs = m
		}
		events = append(events, ev)
	}
	if len(d.b) != 0 {
		return nil, ErrCorrupt
	}
	return events, nil
}
