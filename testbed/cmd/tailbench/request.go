package main

import (
	"encoding/binary"
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"bytes"
)

// request is sent again and again with other traces and tasks.
type request struct {
	body   []byte
	traces []int // where the ids of traces are
	tasks  []int // where the twelve digits of tasks are
	turn   uint64
}

func newRequest(body []byte) request {
	r := request{body: body}
	var u ptrace.ProtoUnmarshaler
	td, err := u.UnmarshalTraces(body)
	if err != nil {
		panic(err) // it was just written
	}
	seen := map[[16]byte]bool{}
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		if id := s.TraceID(); !seen[id] {
			seen[id] = true
			r.traces = append(r.traces, all(body, id[:])...)
		}
	}
	for _, at := range all(body, []byte("task-0")) {
		r.tasks = append(r.tasks, at+len("task-"))
	}
	return r
}

func all(in, what []byte) (out []int) {
	for at := 0; ; {
		i := bytes.Index(in[at:], what)
		if i < 0 {
			return out
		}
		out = append(out, at+i)
		at += i + len(what)
	}
}

// renew gives every trace and task an id that was not there before.
func (r *request) renew() {
	r.turn++
	for _, at := range r.traces {
		binary.BigEndian.PutUint64(r.body[at+8:], r.turn)
	}
	digits := fmt.Appendf(nil, "%06d", r.turn)
	for _, at := range r.tasks {
		copy(r.body[at:], digits)
	}
}
