package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/w3c"
)

// recorded puts attributes on a span, applies the policy and returns what is
// left of them but for the stamp.
func recorded(p *Policy, in map[string]any) (map[string]any, Hits) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	_ = span.Attributes().FromRaw(in)
	hits := p.Traces(td)
	out := span.Attributes().AsRaw()
	for key := range out {
		if strings.HasPrefix(key, "app.redaction.") {
			delete(out, key)
		}
	}
	return out, hits
}

func baggageOf(n, size int) string {
	var list []string
	for i := range n {
		key := fmt.Sprintf("k%02d=", i)
		list = append(list, key+strings.Repeat("v", size-len(key)))
	}
	return strings.Join(list, ",")
}

func TestBaggageMembersPassWholeOrNotAtAll(t *testing.T) {
	secret, _ := fill("AKIA{base32:16}", 3)
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), BaggageAllow: []string{"session", "k00", "feature.*"}})
	for _, c := range []struct{ name, in, want string }{
		{"not on the list", "user%2Eemail=a%40b.c;p=1", ""},
		{"only what is on the list", "user=x,session=1;p=q,other=2", "session=1;p=q"},
		{"a prefix", "feature.a=1,features=2", "feature.a=1"},
		{"duplicates keep their order", "session=2,x=1,session=1", "session=2,session=1"},
		{"keys are not decoded", "sess%69on=1", ""},
		{"keys have a case", "Session=1", ""},
		{"a secret takes its member along", "session=" + secret + ",k00=1", "k00=1"},
		{"a secret among the properties", "session=1;p=" + secret + ",k00=1", "k00=1"},
		{"an address, percent-encoded", "session=ada%40example.com,k00=1", "k00=1"},
		{"what does not parse", "session,session=1 2,k00=1", "k00=1"},
		{"white space of a list that passes", "session=1 , k00=2", "session=1 , k00=2"},
		{"an empty header", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, key := range []string{"baggage", "http.request.header.baggage", "rpc.grpc.request.metadata.baggage", "HTTP.Headers.Baggage"} {
				got, _ := recorded(p, map[string]any{key: c.in})
				want := map[string]any{}
				if c.want != "" {
					want[key] = c.want
				}
				assert.Equal(t, want, got, key)
			}
			got, _ := recorded(p, map[string]any{"http.request.header.baggage": []any{c.in, "session=9"}})
			want := []any{"session=9"}
			if c.want != "" {
				want = []any{c.want, "session=9"}
			}
			assert.Equal(t, map[string]any{"http.request.header.baggage": want}, got)
		})
	}
}

func TestBaggageLimits(t *testing.T) {
	p := compile(t, Settings{Secrets: true, BaggageAllow: []string{"*"}})
	key := "http.request.header.baggage"
	for _, c := range []struct {
		name  string
		in    string
		gone  int64
		bytes int
	}{
		{"64 members, 8192 bytes", baggageOf(63, 127) + ",last=" + strings.Repeat("v", 8192-63*128-5), 0, 8192},
		{"64 members, 8193 bytes", baggageOf(63, 127) + ",last=" + strings.Repeat("v", 8193-63*128-5), 1, 63*128 - 1},
		{"65 members", baggageOf(65, 10), 1, 64*11 - 1},
		{"one member that is too long", "a=1,b=" + strings.Repeat("v", 9000) + ",c=3", 1, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, hits := recorded(p, map[string]any{key: c.in})
			out := got[key].(string)
			assert.Len(t, out, c.bytes)
			assert.Equal(t, c.gone, hits.Values[Hit{"baggage", SpanAttribute}])
			if c.gone == 0 {
				assert.Equal(t, c.in, out)
			}
			for m := range w3c.Baggage(out) {
				assert.Contains(t, ","+c.in+",", ","+m.Raw+",", "members stay whole")
			}
			again, hits := recorded(p, got)
			assert.Equal(t, got, again)
			assert.Zero(t, hits.Total())
		})
	}
	// Lines of one header share its limits.
	got, _ := recorded(p, map[string]any{key: []any{baggageOf(40, 10), baggageOf(40, 12)}})
	assert.Equal(t, []any{baggageOf(40, 10), baggageOf(24, 12)}, got[key])
	// The operator's own limits.
	small := compile(t, Settings{BaggageAllow: []string{"*"}, BaggageMembers: 2, BaggageBytes: 12})
	got, _ = recorded(small, map[string]any{"baggage": "a=1,b=22222222222,c=3,d=4"})
	assert.Equal(t, map[string]any{"baggage": "a=1,c=3"}, got)
}

func TestBaggageThatBecameAttributes(t *testing.T) {
	p := compile(t, Settings{Secrets: true, PII: PIIKinds(), BaggageAllow: []string{"session"}})
	got, hits := recorded(p, map[string]any{
		"baggage.session": "s 1", "baggage.user": "ada", "luggage.baggage": "two", "Baggage.other": int64(1),
		"http.request.headers": map[string]any{"baggage": "session=1,user=2", "traceparent": "nonsense", "tracestate": "ot=1"},
		"app.baggage":          map[string]any{"x": "y"}, "baggage": map[string]any{"session": "1", "user": "2"},
	})
	assert.Equal(t, map[string]any{
		"baggage.session": "s 1", "luggage.baggage": "two", "app.baggage": map[string]any{"x": "y"},
		"http.request.headers": map[string]any{"baggage": "session=1"}, "baggage": map[string]any{"session": "1"},
	}, got)
	assert.Equal(t, int64(4), hits.Values[Hit{"baggage", SpanAttribute}])
}

const parent = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestInvalidTraceparentTakesItsTracestateAlong(t *testing.T) {
	p := compile(t, Settings{Secrets: true, TracestateAllow: []string{"*"}})
	for _, c := range []struct {
		name, in, want string
	}{
		{"good", "00-" + parent, "00-" + parent},
		{"upper case", "00-" + strings.ToUpper(parent), ""},
		{"version ff", "ff-" + parent, ""},
		{"no trace id", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
		{"54 characters", "00-" + parent[:51], ""},
		{"a later version", "01-" + parent + "-extra", "00-" + parent},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, prefix := range []string{"", "http.request.header.", "rpc.request.metadata."} {
				want := map[string]any{"other.tracestate": "a=1"}
				if c.want != "" {
					want[prefix+"traceparent"], want[prefix+"tracestate"] = c.want, "a=1"
				}
				got, _ := recorded(p, map[string]any{prefix + "tracestate": "a=1", prefix + "traceparent": c.in, "other.tracestate": "a=1"})
				assert.Equal(t, want, got)
				// Two headers are none.
				got, _ = recorded(p, map[string]any{prefix + "traceparent": []any{c.in, "00-" + parent}, prefix + "tracestate": []any{"a=1"}})
				assert.Empty(t, got)
			}
		})
	}
}

func stateOf(sizes ...int) string {
	var list []string
	for i, size := range sizes {
		key := fmt.Sprintf("v%d=", i)
		list = append(list, key+strings.Repeat("x", size-len(key)))
	}
	return strings.Join(list, ",")
}

func TestTracestateKeepsAllowedVendorsAndWholeMembers(t *testing.T) {
	secret, _ := fill("AKIA{base32:16}", 3)
	many := strings.Split(strings.Repeat("10 ", 33), " ")[:33]
	sizes := make([]int, len(many))
	for i := range sizes {
		sizes[i] = 10
	}
	for _, c := range []struct {
		name     string
		allow    []string
		in, want string
	}{
		{"nothing is allowed", nil, "ot=th:8,dd=s:1", ""},
		{"one vendor", []string{"ot"}, "dd=s:1,ot=th:8", "ot=th:8"},
		{"a vendor's tenants", []string{"dt"}, "fw5@dt=1,dt=2,dtx=3", "fw5@dt=1,dt=2"},
		{"a secret takes its member along", []string{"*"}, "a=1,b=" + secret, "a=1"},
		{"32 members", []string{"*"}, stateOf(sizes[:32]...), stateOf(sizes[:32]...)},
		{"33 members", []string{"*"}, stateOf(sizes...), ""},
		{"not valid", []string{"*"}, "a=1,B=2", ""},
		{"600 characters, one long member", []string{"*"}, stateOf(150, 128, 128, 128, 62), strings.SplitN(stateOf(150, 128, 128, 128, 62), ",", 2)[1]},
		{"600 characters, no long member", []string{"*"}, stateOf(120, 120, 120, 120, 116), stateOf(120, 120, 120, 120)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, Settings{Secrets: true, TracestateAllow: c.allow})
			td := ptrace.NewTraces()
			span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
			span.TraceState().FromRaw(c.in)
			link := span.Links().AppendEmpty()
			link.TraceState().FromRaw(c.in)
			span.Attributes().PutStr("http.request.header.tracestate", c.in)
			p.Traces(td)
			assert.Equal(t, c.want, span.TraceState().AsRaw())
			assert.Equal(t, c.want, link.TraceState().AsRaw())
			v, ok := span.Attributes().Get("http.request.header.tracestate")
			assert.Equal(t, c.want != "", ok)
			if ok {
				assert.Equal(t, c.want, v.Str())
			}
			assert.Zero(t, p.Traces(td).Total())
		})
	}
}

func TestDeniedKeysAreGoneEverywhere(t *testing.T) {
	p := compile(t, Settings{Deny: []string{"acme.secret", "house.*"}, Unknown: Keep})
	got, hits := recorded(p, map[string]any{
		"acme.secret": "x", "house.a": int64(1), "household": "stays",
		"map": map[string]any{"acme.secret": "x", "list": []any{map[string]any{"house.b": true, "n": int64(1)}}},
	})
	assert.Equal(t, map[string]any{"household": "stays", "map": map[string]any{"list": []any{map[string]any{"n": int64(1)}}}}, got)
	assert.Equal(t, int64(4), hits.Values[Hit{"denied", SpanAttribute}])
}

func TestLinkAttributesCanBeDropped(t *testing.T) {
	p := compile(t, Settings{DropLinkAttributes: true})
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	for _, relation := range []string{"follows", "said Ada"} {
		link := span.Links().AppendEmpty()
		link.Attributes().PutStr("app.link.relation", relation)
		link.Attributes().PutStr("note", "a-name")
	}
	hits := p.Traces(td)
	assert.Equal(t, map[string]any{"app.link.relation": "follows"}, span.Links().At(0).Attributes().AsRaw())
	assert.Empty(t, span.Links().At(1).Attributes().AsRaw())
	assert.Equal(t, int64(3), hits.Values[Hit{"link_attribute", LinkAttribute}])
}

func TestContextSettingsThatAreRefused(t *testing.T) {
	err := Settings{
		Boundary: "b", Key: testKey, Deny: []string{"a b", "app.redaction.*", "x"}, Allow: []string{"x"},
		BaggageAllow: []string{"*.x"}, BaggageMembers: -1, BaggageBytes: -1, TracestateAllow: []string{"OT", "a,b"},
	}.Validate()
	for _, want := range []string{
		"attributes.deny[0] must be a key", "attributes.deny[1] must not hold app.redaction.", "attributes.deny[2] must not also be in",
		"baggage.allow[0] must be a key or a prefix that ends in .*, found \"*.x\", or * for all", "baggage.max_members must be", "baggage.max_bytes must be",
		"tracestate.allow[0] must be a vendor's key", "tracestate.allow[1] must be a vendor's key",
	} {
		require.ErrorContains(t, err, want)
	}
}

func FuzzRecordedHeaders(f *testing.F) {
	f.Add("user=1,session=2;p=q", "a=1,b=2", "00-"+parent)
	f.Add("session=a%40b.c", "ot=th:8", "01-"+parent+"-x")
	settings := Settings{Secrets: true, PII: PIIKinds(), BaggageAllow: []string{"session"}, TracestateAllow: []string{"*"}}
	continued := compile(f, settings)
	settings.RestartTraces = true
	restarted := compile(f, settings)
	f.Fuzz(func(t *testing.T, baggage, state, traceparent string) {
		p := continued
		if len(baggage)%2 == 0 {
			p = restarted
		}
		in := map[string]any{"baggage": baggage, "x.header.tracestate": state, "x.header.traceparent": traceparent, "list.headers.baggage": []any{baggage, state}}
		once, hits := recorded(p, in)
		for f := range hits.Failures {
			if f.Reason == Panicked {
				t.Fatal("a walk panicked")
			}
		}
		twice, _ := recorded(p, once)
		assert.Equal(t, once, twice)
		if s, ok := once["baggage"].(string); ok {
			for m := range w3c.Baggage(s) {
				assert.Equal(t, "session", m.Key)
			}
		}
		if s, ok := once["x.header.traceparent"].(string); ok {
			_, valid := w3c.ParseTraceparent(s)
			assert.True(t, valid || s == "")
		}
	})
}
