package tailpolicy

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// groupBytes is about how much of several runs goes out as one batch: a request for
// each run would cost an exporter more than the run.
const groupBytes = 256 << 10

// gather takes along the parcels that wait behind the first, as far as they are small.
// What it took out of the channel and cannot take along is the caller's.
func (p *tailProcessor) gather(first *tail.Parcel) (group []*tail.Parcel, other tail.Effect) {
	group = []*tail.Parcel{first}
	for size := first.Size(); size < groupBytes; {
		select {
		case e := <-p.todo:
			send, ok := e.(tail.Send)
			if !ok || size+send.Parcel.Size() > groupBytes {
				return group, e
			}
			group, size = append(group, send.Parcel), size+send.Parcel.Size()
		default:
			return group, nil
		}
	}
	return group, nil
}

// sendGroup gives several runs to the next component as one batch. If it will never
// take that, each of them is tried alone.
func (p *tailProcessor) sendGroup(group []*tail.Parcel) {
	if len(group) == 1 {
		p.send(group[0])
		return
	}
	all := ptrace.NewTraces()
	for _, parcel := range group {
		p.unpack(parcel).ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	err := p.next.ConsumeTraces(p.sending, all)
	if consumererror.IsPermanent(err) {
		for _, parcel := range group {
			p.send(parcel)
		}
		return
	}
	p.note(err)
	if err != nil {
		p.meter.failed(context.Background(), false, err)
	}
	answers := make([]tail.Input, len(group))
	for i, parcel := range group {
		if err == nil {
			answers[i] = tail.Delivered{Parcel: parcel}
		} else {
			answers[i] = tail.Failed{Parcel: parcel}
		}
	}
	p.answer(answers...)
}

// unpack is the spans of a parcel as they go out.
func (p *tailProcessor) unpack(parcel *tail.Parcel) ptrace.Traces {
	td, done := p.hands.Traces(parcel)
	p.meter.finished(p.sending, done)
	return td
}

// send is not bound to a caller's context: the run is not the caller's batch. A large
// run goes in portions; if one is refused, all of them are tried again.
func (p *tailProcessor) send(parcel *tail.Parcel) {
	portions := portionsOf(parcel, p.unpack(parcel))
	var never []int
	spans := 0
	for i, portion := range portions {
		n := portion.SpanCount()
		err := p.next.ConsumeTraces(p.sending, portion)
		p.note(err)
		if err == nil {
			continue
		}
		permanent := consumererror.IsPermanent(err)
		p.meter.failed(context.Background(), permanent, err)
		if !permanent {
			p.answer(tail.Failed{Parcel: parcel})
			return
		}
		never, spans = append(never, i), spans+n
	}
	if len(never) == 0 {
		p.answer(tail.Delivered{Parcel: parcel})
		return
	}
	if len(never) == len(portions) {
		spans = parcel.Spans // those that were merged or folded too
	}
	td, _ := p.hands.Traces(parcel) // decoded again: the next component may have changed what it got
	again := portionsOf(parcel, td)
	for _, i := range never {
		p.bury(again[i])
	}
	p.answer(tail.Failed{Parcel: parcel, Permanent: true, Spans: spans})
}

func portionsOf(parcel *tail.Parcel, td ptrace.Traces) []ptrace.Traces {
	if parcel.Size() <= tail.PortionBytes/2 { // what it was before it was stamped
		return []ptrace.Traces{td}
	}
	return tail.Portions(td, tail.PortionBytes)
}
