package load

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Request is what TailSpans made, sent again and again with other traces and tasks.
type Request struct {
	Body   []byte
	traces []int // where the ids of traces are
	tasks  []int // where the twelve digits of tasks are
	turn   uint64
}

// NewRequest finds the ids in a request.
func NewRequest(body []byte) Request {
	r := Request{Body: body}
	var u ptrace.ProtoUnmarshaler
	td, err := u.UnmarshalTraces(body)
	if err != nil {
		panic(err) // it was just written
	}
	seen := map[[16]byte]bool{}
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		if id := s.TraceID(); !seen[id] {
			seen[id] = true
			r.traces = append(r.traces, placesOf(body, id[:])...)
		}
	}
	for _, at := range placesOf(body, []byte("task-0")) {
		r.tasks = append(r.tasks, at+len("task-"))
	}
	return r
}

func placesOf(in, what []byte) (out []int) {
	for at := 0; ; {
		i := bytes.Index(in[at:], what)
		if i < 0 {
			return out
		}
		out = append(out, at+i)
		at += i + len(what)
	}
}

// turns are counted over all senders, by RenewApart.
var turns atomic.Uint64

// RenewApart is Renew for one of several senders that have requests of their own.
func (r *Request) RenewApart() {
	r.turn = turns.Add(1) - 1
	r.Renew()
}

// Renew gives every trace and task an id that was not there before.
func (r *Request) Renew() {
	r.turn++
	for _, at := range r.traces {
		binary.BigEndian.PutUint64(r.Body[at+8:], r.turn)
	}
	digits := fmt.Appendf(nil, "%06d", r.turn)
	for _, at := range r.tasks {
		copy(r.Body[at:], digits)
	}
}
