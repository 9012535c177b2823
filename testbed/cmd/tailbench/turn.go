package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/tailsamplingprocessor"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy"
	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

type contender struct {
	name    string
	factory func() processor.Factory
	config  func(wait, dir string) map[string]any
}

// decode is the work that all have in common; the others keep one of twenty runs
// and what is in error.
var contenders = []contender{
	{name: "decode"},
	{"tail_sampling", tailsamplingprocessor.NewFactory, stock},
	{"tailpolicy", tailpolicy.NewFactory, func(wait, _ string) map[string]any { return ours(wait, nil) }},
	{"tailpolicy, storage, no limbo", tailpolicy.NewFactory, func(wait, dir string) map[string]any {
		return ours(wait, map[string]any{"storage": map[string]any{"directory": dir}, "limbo": map[string]any{"window": "0s"}})
	}},
	{"tailpolicy, storage and limbo", tailpolicy.NewFactory, func(wait, dir string) map[string]any {
		return ours(wait, map[string]any{"storage": map[string]any{"directory": dir}})
	}},
}

func ours(wait string, more map[string]any) map[string]any {
	c := map[string]any{"decision_wait": wait, "max_wait": "2h", "memory_mib": 1024}
	for k, v := range more {
		c[k] = v
	}
	return c
}

func stock(wait, _ string) map[string]any {
	return map[string]any{
		"decision_wait": wait, "num_traces": 1_000_000,
		"policies": []any{
			map[string]any{"name": "error", "type": "status_code", "status_code": map[string]any{"status_codes": []any{"ERROR"}}},
			map[string]any{"name": "denial", "type": "string_attribute", "string_attribute": map[string]any{"key": "app.permission.decision", "values": []any{"deny", "abort"}}},
			map[string]any{"name": "share", "type": "probabilistic", "probabilistic": map[string]any{"sampling_percentage": 5}},
		},
	}
}

func turn(name string, size, spans int, held bool) error {
	for _, c := range contenders {
		if c.name == name {
			return c.turn(size, spans, held)
		}
	}
	return fmt.Errorf("%q is no contender", name)
}

const perRequest = 100

func (c *contender) turn(size, spans int, held bool) error {
	dir, err := os.MkdirTemp("", "tailbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wait := "1s"
	if held {
		wait = "1h"
	}
	var kept atomic.Int64
	next, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error { kept.Add(int64(td.SpanCount())); return nil })
	if err != nil {
		return err
	}
	var p processor.Traces
	if c.factory != nil {
		if p, err = c.start(next, wait, dir); err != nil {
			return err
		}
	}
	requests := make([]load.Request, 20)
	for i := range requests {
		requests[i] = load.NewRequest(load.TailSpans(perRequest, size, uint64(i)*perRequest/10))
	}
	wire := 0
	runtime.GC()
	before, rss := cpu(), resident()
	var u ptrace.ProtoUnmarshaler
	for i := range spans / perRequest {
		r := &requests[i%len(requests)]
		r.Renew()
		wire += len(r.Body)
		td, err := u.UnmarshalTraces(r.Body)
		if err != nil {
			return err
		}
		if p != nil {
			if err := p.ConsumeTraces(context.Background(), td); err != nil {
				return err
			}
		}
	}
	if held {
		fmt.Printf("%.3f\n", float64(resident()-rss)/float64(wire))
		return nil
	}
	if p != nil {
		time.Sleep(3500 * time.Millisecond) // all is decided
	}
	fmt.Printf("%.3f\n", (cpu()-before).Seconds()*1e6/float64(spans))
	if p == nil {
		return nil
	}
	if k := kept.Load(); k < int64(spans)/50 || k > int64(spans)/8 {
		return fmt.Errorf("%d of %d spans kept is no twentieth", k, spans)
	}
	return p.Shutdown(context.Background())
}

func (c *contender) start(next consumer.Traces, wait, dir string) (processor.Traces, error) {
	f := c.factory()
	cfg := f.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(c.config(wait, dir)).Unmarshal(cfg); err != nil {
		return nil, err
	}
	set := processortest.NewNopSettings(f.Type())
	set.ID = component.NewID(f.Type())
	p, err := f.CreateTraces(context.Background(), set, cfg, next)
	if err != nil {
		return nil, err
	}
	return p, errors.Join(p.Start(context.Background(), componenttest.NewNopHost()))
}

func cpu() time.Duration {
	d, err := load.Used()
	if err != nil {
		panic(err)
	}
	return d
}

// resident is the memory of this process after all garbage is given back.
func resident() int64 {
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return pages * int64(os.Getpagesize())
}
