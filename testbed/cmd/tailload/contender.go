package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

const stockSampler = `{decision_wait: 2s, num_traces: 1000000, policies: [
  {name: error, type: status_code, status_code: {status_codes: [ERROR]}},
  {name: denial, type: string_attribute, string_attribute: {key: app.permission.decision, values: [deny, abort]}},
  {name: share, type: probabilistic, probabilistic: {sampling_percentage: 5}}]}`

type contender struct {
	name, binary, processor, config string // without a processor nothing goes out
	unqueued                        bool   // the exporter has no queue of its own

	*load.Collector
	rates []float64
}

// start runs the collector until ctx ends and waits until it takes requests.
func (c *contender) start(ctx context.Context, next, pprof string) (err error) {
	c.Collector, err = load.Start(ctx, c.binary, func(address string) string { return c.collector(address, next, pprof) })
	return err
}

// collector is the configuration.
func (c *contender) collector(address, next, pprof string) string {
	exporter, exporters := "nop: {}", "nop"
	if c.processor != "" {
		exporter, exporters = "otlp_http: {endpoint: '"+next+"', compression: none}", "otlp_http"
	}
	if c.unqueued {
		exporter = strings.Replace(exporter, "}", ", sending_queue: {enabled: false}}", 1)
	}
	config := "receivers: {otlp: {protocols: {http: {endpoint: " + address + "}}}}\n" +
		"exporters: {" + exporter + "}\n" +
		"service:\n  telemetry: {metrics: {level: none, readers: []}, logs: {level: error}}\n" +
		"  pipelines: {traces: {receivers: [otlp], processors: [" + c.processor + "], exporters: [" + exporters + "]}}\n"
	if pprof != "" {
		config += "  extensions: [pprof]\nextensions: {pprof: {endpoint: '" + pprof + "'}}\n"
	}
	if c.processor != "" {
		config += "processors:\n  " + c.processor + ": " + c.config + "\n"
	}
	return config
}

// measure sends requests with new traces and waits until all of them are decided.
func (c *contender) measure(ctx context.Context, bodies []load.Request, requests int) (float64, error) {
	before, err := load.CPU(c.PID)
	if err != nil {
		return 0, err
	}
	for n := range requests {
		r := &bodies[n%len(bodies)]
		r.Renew()
		if err := load.Post(ctx, http.DefaultClient, c.Endpoint, r.Body); err != nil {
			return 0, err
		}
	}
	time.Sleep(4 * time.Second)
	after, err := load.CPU(c.PID)
	return float64(requests*100) / (after - before).Seconds(), err
}
