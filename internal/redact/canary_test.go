package redact

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/entity"
)

// canaries hands out secrets, one a position, and remembers them.
type canaries struct{ flown []string }

func (c *canaries) bird() string {
	s, _ := fill("AKIA{base32:16}", uint64(len(c.flown)))
	c.flown = append(c.flown, s)
	return s
}

func (c *canaries) in(text string) string { return fmt.Sprintf(text, c.bird()) }

// attributes puts a canary into every kind of place of a map.
func (c *canaries) attributes(m pcommon.Map) {
	m.PutStr("plain", c.in("see %s there"))
	m.PutStr("baggage", c.in("kept=1,kept=%s;p=2"))
	m.PutStr("baggage.kept", c.in("so %s"))
	m.PutEmptySlice("http.request.header.tracestate").AppendEmpty().SetStr(c.in("vendor=%s"))
	m.PutStr("http.request.header.traceparent", c.in("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-%s"))
	m.PutEmptyBytes("rpc.request.metadata.traceparent").FromRaw([]byte(c.bird()))
	m.PutStr(c.in("key.%s"), "v")
	m.PutEmptyBytes("bytes").FromRaw([]byte(c.in("b %s")))
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetStr(c.bird())
	list.AppendEmpty().SetInt(7)
	list.AppendEmpty().SetEmptyMap().PutStr("in", c.bird())
	list.AppendEmpty().SetEmptySlice().AppendEmpty().SetStr(c.bird())
	nested := m.PutEmptyMap("map").PutEmptyMap("map")
	nested.PutStr(c.bird(), c.bird())
	nested.PutStr("Authorization", c.in("Custom %s"))
	m.PutStr("gen_ai.input.messages", c.in(`[{"parts":["%s"]}]`))
	m.PutEmptyMap("gen_ai.tool.call.arguments").PutEmptySlice("x").AppendEmpty().SetStr(c.bird())
	m.PutEmptyBytes("gen_ai.tool.call.result").FromRaw([]byte(c.bird()))
	m.PutStr("user.id", c.bird())
	m.PutEmpty("password").SetEmptySlice().AppendEmpty().SetStr(c.bird())
}

func (c *canaries) resource(r pcommon.Resource) {
	c.attributes(r.Attributes())
	r.Attributes().PutStr("tenant.id", c.in("t-%s"))
	ref := entity.ResourceEntityRefs(r).AppendEmpty()
	ref.SetType(c.bird())
	ref.SetSchemaUrl(c.in("https://x/%s"))
	ref.IdKeys().Append(c.bird())
	ref.DescriptionKeys().Append(c.bird())
}

func (c *canaries) scope(s pcommon.InstrumentationScope) {
	s.SetName(c.in("scope/%s"))
	s.SetVersion(c.in("1.0-%s"))
	c.attributes(s.Attributes())
}

func (c *canaries) traces() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	c.resource(rs.Resource())
	rs.SetSchemaUrl(c.in("https://schema/%s"))
	ss := rs.ScopeSpans().AppendEmpty()
	c.scope(ss.Scope())
	ss.SetSchemaUrl(c.in("https://schema/%s"))
	s := ss.Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetName(c.in("GET /x?key=%s"))
	s.TraceState().FromRaw(c.in("a=1,vendor=%s,b=2"))
	s.Status().SetMessage(c.in("bad key %s"))
	c.attributes(s.Attributes())
	ev := s.Events().AppendEmpty()
	ev.SetName(c.in("event %s"))
	c.attributes(ev.Attributes())
	link := s.Links().AppendEmpty()
	link.TraceState().FromRaw(c.in("vendor=%s"))
	c.attributes(link.Attributes())
	return td
}

func (c *canaries) profiles() pprofile.Profiles {
	pd := pprofile.NewProfiles()
	strings := pd.Dictionary().StringTable()
	strings.Append("")
	bird := func(text string) int32 {
		strings.Append(c.in(text))
		return int32(strings.Len() - 1)
	}
	rp := pd.ResourceProfiles().AppendEmpty()
	c.resource(rp.Resource())
	rp.SetSchemaUrl(c.in("https://schema/%s"))
	sp := rp.ScopeProfiles().AppendEmpty()
	c.scope(sp.Scope())
	sp.SetSchemaUrl(c.in("https://schema/%s"))
	p := sp.Profiles().AppendEmpty()
	p.SetOriginalPayloadFormat(c.in("format %s"))
	p.OriginalPayload().FromRaw([]byte(c.bird()))
	p.SampleType().SetTypeStrindex(bird("type %s"))
	p.PeriodType().SetUnitStrindex(bird("unit %s"))
	f := pd.Dictionary().FunctionTable().AppendEmpty()
	f.SetNameStrindex(bird("void f(%s)"))
	f.SetSystemNameStrindex(bird("sys %s"))
	f.SetFilenameStrindex(bird("/src/%s.c"))
	pd.Dictionary().MappingTable().AppendEmpty().SetFilenameStrindex(bird("/bin/%s"))
	bird("pointed at by nothing: %s")
	pd.Dictionary().LinkTable().AppendEmpty().SetTraceID(pcommon.TraceID{1})
	values := pcommon.NewMap()
	c.attributes(values)
	for key, v := range values.All() {
		kv := pd.Dictionary().AttributeTable().AppendEmpty()
		strings.Append(key)
		kv.SetKeyStrindex(int32(strings.Len() - 1))
		kv.SetUnitStrindex(bird("unit %s"))
		v.CopyTo(kv.Value())
	}
	return pd
}

func (c *canaries) logs() plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	c.resource(rl.Resource())
	rl.SetSchemaUrl(c.in("https://schema/%s"))
	sl := rl.ScopeLogs().AppendEmpty()
	c.scope(sl.Scope())
	sl.SetSchemaUrl(c.in("https://schema/%s"))
	lr := sl.LogRecords().AppendEmpty()
	lr.SetEventName(c.in("event %s"))
	lr.SetSeverityText(c.in("INFO %s"))
	c.attributes(lr.Attributes())
	c.attributes(lr.Body().SetEmptyMap())
	lr.Body().Map().PutEmptyMap("more").PutEmptySlice("l").AppendEmpty().SetEmptyBytes().FromRaw([]byte(c.bird()))
	for _, name := range []string{"gen_ai.user.message", "", "app.turn.started"} {
		r := sl.LogRecords().AppendEmpty()
		r.SetEventName(name)
		r.Body().SetStr(c.in("said %s"))
		r = sl.LogRecords().AppendEmpty()
		r.SetEventName(name)
		c.attributes(r.Body().SetEmptyMap())
		r = sl.LogRecords().AppendEmpty()
		r.SetEventName(name)
		r.Body().SetEmptySlice().AppendEmpty().SetStr(c.bird())
	}
	return ld
}

func (c *canaries) metrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	c.resource(rm.Resource())
	rm.SetSchemaUrl(c.in("https://schema/%s"))
	sm := rm.ScopeMetrics().AppendEmpty()
	c.scope(sm.Scope())
	sm.SetSchemaUrl(c.in("https://schema/%s"))
	metric := func() pmetric.Metric {
		m := sm.Metrics().AppendEmpty()
		m.SetName(c.in("metric.%s"))
		m.SetDescription(c.in("about %s"))
		m.SetUnit(c.in("{%s}"))
		c.attributes(m.Metadata())
		return m
	}
	numbers := func(points pmetric.NumberDataPointSlice) {
		dp := points.AppendEmpty()
		c.attributes(dp.Attributes())
		c.attributes(dp.Exemplars().AppendEmpty().FilteredAttributes())
	}
	numbers(metric().SetEmptyGauge().DataPoints())
	numbers(metric().SetEmptySum().DataPoints())
	h := metric().SetEmptyHistogram().DataPoints().AppendEmpty()
	c.attributes(h.Attributes())
	c.attributes(h.Exemplars().AppendEmpty().FilteredAttributes())
	e := metric().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	c.attributes(e.Attributes())
	c.attributes(e.Exemplars().AppendEmpty().FilteredAttributes())
	c.attributes(metric().SetEmptySummary().DataPoints().AppendEmpty().Attributes())
	metric()
	return md
}

// batch is one signal's data behind one face.
type batch struct {
	apply   func(*Policy) Hits
	marshal func() []byte
	items   func() int
}

func (c *canaries) batches(t testing.TB) map[string]batch {
	td, ld, md, pd := c.traces(), c.logs(), c.metrics(), c.profiles()
	must := func(b []byte, err error) []byte {
		require.NoError(t, err)
		return b
	}
	return map[string]batch{
		"traces":   {func(p *Policy) Hits { return p.Traces(td) }, func() []byte { return must((&ptrace.ProtoMarshaler{}).MarshalTraces(td)) }, td.SpanCount},
		"logs":     {func(p *Policy) Hits { return p.Logs(ld) }, func() []byte { return must((&plog.ProtoMarshaler{}).MarshalLogs(ld)) }, ld.LogRecordCount},
		"profiles": {func(p *Policy) Hits { return p.Profiles(pd) }, func() []byte { return must((&pprofile.ProtoMarshaler{}).MarshalProfiles(pd)) }, pd.ProfileCount},
		"metrics":  {func(p *Policy) Hits { return p.Metrics(md) }, func() []byte { return must((&pmetric.ProtoMarshaler{}).MarshalMetrics(md)) }, md.DataPointCount},
	}
}

// TestNoCanarySurvives puts one secret into every position of the four signals
// and looks for it in the bytes that come out, under every mode; a second pass
// must change no byte.
func TestNoCanarySurvives(t *testing.T) {
	seen := map[Position]bool{}
	for _, mode := range []Mode{Digest, Drop, Keep} {
		var c canaries
		batches := c.batches(t)
		p := compile(t, Settings{Secrets: true, PII: PIIKinds(), Content: mode, PersonIDs: mode, Unknown: mode,
			BaggageAllow: []string{"kept"}, TracestateAllow: []string{"*"}, RestartTraces: true})
		for name, b := range batches {
			t.Run(string(mode)+"/"+name, func(t *testing.T) {
				before := b.items()
				hits := b.apply(p)
				for hit := range hits.Values {
					seen[hit.Position] = true
				}
				for failure := range hits.Failures {
					seen[failure.Position] = true
				}
				out := b.marshal()
				for i, bird := range c.flown {
					assert.NotContains(t, string(out), bird, "canary %d", i)
				}
				assert.Equal(t, before, b.items())
				assert.Zero(t, b.apply(p).Total())
				assert.Equal(t, out, b.marshal(), "a second pass changes nothing")
			})
		}
	}
	for pos := range numPositions {
		assert.True(t, seen[pos], "position %s was not reached", pos)
	}
}

// TestCanariesFly proves that the sweep can fail: without rules they survive.
func TestCanariesFly(t *testing.T) {
	var c canaries
	p := compile(t, Settings{Content: Keep, PersonIDs: Keep, Unknown: Keep})
	for name, b := range c.batches(t) {
		b.apply(p)
		found := 0
		for _, bird := range c.flown {
			if containsBytes(b.marshal(), bird) {
				found++
			}
		}
		assert.Greater(t, found, 40, name)
	}
}
