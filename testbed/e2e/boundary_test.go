package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// A boundary is the real binary with a redactor and nothing else between OTLP and a
// file, for each signal.
type boundary struct {
	*machine
	process *collector.Process
}

// profilesGate lets the binary take profiles.
const profilesGate = "--feature-gates=service.profilesSupport"

func newBoundary(t *testing.T, redactor string, args ...string) *boundary {
	m := newMachine(t)
	config := []string{
		"--config=yaml:processors::redactor/edge: " + redactor,
		"--config=yaml:service::telemetry::logs::level: debug",
		profilesGate,
	}
	for _, signal := range []string{"traces", "logs", "metrics", "profiles"} {
		config = append(config,
			fmt.Sprintf("--config=yaml:exporters::file/%s: {path: %s}", signal, filepath.Join(m.set.Home, signal+".json")),
			fmt.Sprintf("--config=yaml:service::pipelines::%s/edge: {receivers: [otlp, lenientotlp], processors: [redactor/edge], exporters: [file/%[1]s]}", signal))
	}
	return &boundary{m, m.start(append(config, args...)...)}
}

func (b *boundary) post(signal string, body string) {
	b.Helper()
	path := "/v1/" + signal
	if signal == "profiles" {
		path = "/v1development/profiles"
	}
	resp, err := http.Post(b.process.Endpoint+path, "application/json", strings.NewReader(body))
	require.NoError(b, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, resp.StatusCode, "%s: %s", signal, answer)
}

// out ends the collector and returns what was written of a signal, line by line.
func (b *boundary) out(signal string) []string {
	b.Helper()
	require.NoError(b, b.process.Stop())
	text, err := os.ReadFile(filepath.Join(b.set.Home, signal+".json"))
	require.NoError(b, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// flock hands out secrets of a known form, one a position.
type flock struct{ at map[string]string }

// fly replaces each <position> of a request by a secret of its own.
func (f *flock) fly(body string) string {
	return regexp.MustCompile(`<[a-z0-9 _]+>`).ReplaceAllStringFunc(body, func(position string) string {
		sum := sha256.Sum256([]byte(strconv.Itoa(len(f.at))))
		secret := "AKIA" + base32.StdEncoding.EncodeToString(sum[:10])
		f.at[secret] = strings.Trim(position, "<>")
		return secret
	})
}

// positions are requests with a secret in every place that holds text.
func positions() map[string]string {
	attributes := func(of string) string {
		return strings.ReplaceAll(`[{"key":"plain","value":{"stringValue":"see <OF string>"}},{"key":"k.<OF key>","value":{"intValue":"1"}},
			{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"<OF list>"},{"kvlistValue":{"values":[{"key":"<OF map key in list>","value":{"stringValue":"<OF map in list>"}}]}}]}}},
			{"key":"map","value":{"kvlistValue":{"values":[{"key":"Authorization","value":{"stringValue":"<OF credential in map>"}}]}}},
			{"key":"bytes","value":{"bytesValue":"QUtJQUVYQU1QTEVFWEFNUExFN1E="}},
			{"key":"baggage","value":{"stringValue":"user=<OF baggage>"}},{"key":"http.request.header.tracestate","value":{"arrayValue":{"values":[{"stringValue":"ot=th:8,v=<OF tracestate>"}]}}},
			{"key":"http.request.header.traceparent","value":{"stringValue":"00-<OF traceparent>"}}]`, "OF", of)
	}
	resource := `{"attributes":` + attributes("resource") + `,"entityRefs":[{"schemaUrl":"https://x/<entity schema url>","type":"<entity type>","idKeys":["<entity id key>"],"descriptionKeys":["<entity description key>"]}]}`
	scope := `{"name":"s.<scope name>","version":"1-<scope version>","attributes":` + attributes("scope") + `}`
	urls := `"schemaUrl":"https://x/<schema url>"`
	span := `{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"GET /<span name>","traceState":"v=<span tracestate>","attributes":` + attributes("span") + `,
		"status":{"code":2,"message":"bad <status message>"},"events":[{"name":"saw <event name>","attributes":` + attributes("event") + `}],
		"links":[{"traceId":"0af7651916cd43dd8448eb211c80319d","spanId":"b7ad6b7169203332","traceState":"v=<link tracestate>","attributes":` + attributes("link") + `}]}`
	point := `"attributes":` + attributes("point") + `,"timeUnixNano":"1796040000000000000"`
	exemplar := `"exemplars":[{"asInt":"1","filteredAttributes":` + attributes("exemplar") + `}]`
	metric := func(of, data string) string {
		return `{"name":"m.<metric name>","description":"of <metric description>","unit":"{<metric unit>}","metadata":` + attributes("metadata") + `,"` + of + `":{` + data + `}}`
	}
	return map[string]string{
		"traces": `{"resourceSpans":[{"resource":` + resource + `,` + urls + `,"scopeSpans":[{"scope":` + scope + `,` + urls + `,"spans":[` + span + `]}]},
			{"deprecatedScopeSpans":[{"scope":{"name":"hidden <deprecated scope name>"},"spans":[` + strings.ReplaceAll(span, "<", "<deprecated ") + `]}]}]}`,
		"logs": `{"resourceLogs":[{"resource":` + resource + `,` + urls + `,"scopeLogs":[{"scope":` + scope + `,` + urls + `,"logRecords":[
			{"eventName":"ev <log event name>","severityText":"INFO <severity text>","body":{"stringValue":"said <log body>"},"attributes":` + attributes("log") + `},
			{"body":{"kvlistValue":{"values":` + attributes("log body") + `}}}]}]},
			{"deprecatedScopeLogs":[{"logRecords":[{"body":{"stringValue":"<deprecated log body>"}}]}]}]}`,
		"metrics": `{"resourceMetrics":[{"resource":` + resource + `,` + urls + `,"scopeMetrics":[{"scope":` + scope + `,` + urls + `,"metrics":[
			` + metric("gauge", `"dataPoints":[{"asInt":"1",`+point+`,`+exemplar+`}]`) + `,` + metric("sum", `"dataPoints":[{"asInt":"1",`+point+`,`+exemplar+`}]`) + `,
			` + metric("histogram", `"dataPoints":[{"count":"1",`+point+`,`+exemplar+`}]`) + `,` + metric("exponentialHistogram", `"dataPoints":[{"count":"1",`+point+`,`+exemplar+`}]`) + `,
			` + metric("summary", `"dataPoints":[{"count":"1",`+point+`}]`) + `]}]},
			{"deprecatedScopeMetrics":[{"metrics":[{"name":"<deprecated metric name>","gauge":{"dataPoints":[{"asInt":"1"}]}}]}]}]}`,
		"profiles": `{"dictionary":{"stringTable":["","f(<function name>)","/src/<file name>","k.<profile attribute key>","<profile unit>","<orphan string>"],
			"functionTable":[{"nameStrindex":1,"systemNameStrindex":1,"filenameStrindex":2}],"mappingTable":[{"filenameStrindex":2}],
			"attributeTable":[{"keyStrindex":3,"unitStrindex":4,"value":{"stringValue":"<profile attribute>"}}]},
			"resourceProfiles":[{"resource":` + resource + `,` + urls + `,"scopeProfiles":[{"scope":` + scope + `,` + urls + `,
			"profiles":[{"samples":[{"values":["1"]}],"originalPayloadFormat":"<payload format>","originalPayload":"QUtJQUVYQU1QTEVFWEFNUExFN1E="}]}]}]}`,
	}
}

// TestNoCanaryCrossesTheBoundary is case 13 on the real binary; -v prints leaks by
// position. What the collector says at debug level is searched too.
func TestNoCanaryCrossesTheBoundary(t *testing.T) {
	b := newBoundary(t, "{boundary: edge}")
	birds := flock{map[string]string{}}
	secrets := []string{"AKIAEXAMPLEEXAMPLE7Q", "QUtJQUVYQU1QTEVFWEFNUExFN1E"}
	signals := positions()
	for _, signal := range []string{"traces", "logs", "metrics", "profiles"} {
		b.post(signal, birds.fly(signals[signal]))
	}
	require.Greater(t, len(birds.at), 200)
	items := map[string]string{"traces": `"spanId"`, "logs": `"body"`, "metrics": `"unit"`, "profiles": `"functionTable"`}
	b.out("traces")
	leaks := 0
	byPosition, planted := map[string]int{}, map[string]int{}
	for signal := range signals {
		text, err := os.ReadFile(filepath.Join(b.set.Home, signal+".json"))
		require.NoError(t, err)
		require.Contains(t, string(text), items[signal], "the data came through")
		require.Contains(t, string(text), "[redacted:")
		for secret, position := range birds.at {
			planted[position]++
			if bytes.Contains(text, []byte(secret)) {
				byPosition[position]++
				leaks++
			}
		}
		for _, secret := range secrets {
			require.NotContains(t, string(text), secret)
		}
		if signal == "traces" {
			require.Contains(t, string(text), "hidden [redacted:", "what stood in a deprecated list is redacted, not lost")
		}
	}
	for _, position := range slices.Sorted(maps.Keys(planted)) {
		t.Logf("%d of %d leak  %s", byPosition[position], planted[position]/len(signals), position)
	}
	require.Zero(t, leaks)
	said := b.process.Stderr()
	require.Contains(t, said, "debug", "the level is in force")
	for secret, position := range birds.at {
		require.NotContains(t, said, secret, position)
	}
	for path, content := range everyFile(t, b.set.Home) {
		for secret, position := range birds.at {
			require.NotContains(t, string(content), secret, "%s: %s", path, position)
		}
	}
}

func span(attributes string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"call","attributes":[` + attributes + `]}]}]}]}`
}

// attributesOf reads the attributes of the only span of a line, as OTLP/JSON values.
func attributesOf(t *testing.T, line string) map[string]json.RawMessage {
	t.Helper()
	var doc struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					Attributes []struct {
						Key   string          `json:"key"`
						Value json.RawMessage `json:"value"`
					} `json:"attributes"`
				} `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &doc))
	out := map[string]json.RawMessage{}
	for _, a := range doc.ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes {
		out[a.Key] = a.Value
	}
	return out
}

// TestTypesValuesAndContext are cases 14, 15, 17 and 18 on the real binary.
func TestTypesValuesAndContext(t *testing.T) {
	b := newBoundary(t, `{attributes: {unknown: keep}, baggage: {allow: [session, "k.*"]}, tracestate: {allow: [ot, v0, v1, v2, v3, v4]}}`)
	key := "AKIA" + "EXAMPLEEXAMPLE7Q"
	hostile := strings.Repeat("a@", 131<<9)
	member := func(i, size int) string {
		name := fmt.Sprintf("k.%02d=", i)
		return name + strings.Repeat("v", size-len(name))
	}
	var full []string
	for i := range 64 {
		full = append(full, member(i, 127))
	}
	most := strings.Join(full, ",") + "v" // 64 members, 8192 bytes
	state := func(sizes ...int) string {
		var list []string
		for i, size := range sizes {
			list = append(list, fmt.Sprintf("v%d=", i)+strings.Repeat("x", size-3))
		}
		return strings.Join(list, ",")
	}
	requests := []string{
		span(`{"key":"args","value":{"kvlistValue":{"values":[{"key":"Authorization","value":{"stringValue":"Bearer abcdefgh12345678"}},{"key":"n","value":{"intValue":"3"}},{"key":"ok","value":{"boolValue":true}},
			{"key":"l","value":{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"` + key + `"}]}}}]}}}`),
		span(attribute("both", "mail jo@corp.example key "+key) + `,` + attribute("empty", "") + `,` +
			attribute("pem", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0\nZm9vYmFy\n-----END RSA PRIVATE KEY-----\nb") + `,` +
			attribute("hostile", hostile)),
		span(attribute("baggage", most) + `,` + attribute("http.request.header.baggage", most+"v") + `,` + attribute("x.header.baggage", most+",k.64=v") + `,` + attribute("y.header.baggage", "user%2Eemail=a%40b.c;p=1,session=7;p=1")),
		span(attribute("a.traceparent", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01") + `,` + attribute("a.tracestate", "ot=th:8") + `,` +
			attribute("b.traceparent", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") + `,` + attribute("c.traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01") + `,` +
			attribute("d.traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0") + `,` + attribute("e.traceparent", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra") + `,` +
			attribute("e.tracestate", "ot=th:8") + `,` + attribute("f.tracestate", strings.Repeat("a=1,", 32)+"b=2") + `,` + attribute("g.tracestate", state(150, 128, 128, 128, 62))),
	}
	for _, r := range requests {
		b.post("traces", r)
	}
	lines := b.out("traces")
	require.Len(t, lines, len(requests))

	a := attributesOf(t, lines[0])
	require.Regexp(t, `^\{"kvlistValue":\{"values":\[\{"key":"Authorization","value":\{"stringValue":"\[redacted:[a-z_]+:[0-9a-f]{12}\]"\}\},\{"key":"n","value":\{"intValue":"3"\}\},\{"key":"ok","value":\{"boolValue":true\}\},`+
		`\{"key":"l","value":\{"arrayValue":\{"values":\[\{"intValue":"1"\},\{"stringValue":"\[redacted:aws_access_key_id:[0-9a-f]{12}\]"\}\]\}\}\}\]\}\}$`, string(a["args"]))

	a = attributesOf(t, lines[1])
	require.Regexp(t, `"mail \[redacted:email:[0-9a-f]{12}\] key \[redacted:aws_access_key_id:[0-9a-f]{12}\]"`, string(a["both"]))
	require.Equal(t, `{"stringValue":""}`, string(a["empty"]))
	require.Regexp(t, `"a\\n\[redacted:private_key[a-z_]*:[0-9a-f]{12}\]\\nb"`, string(a["pem"]), "many lines, one token")
	require.NotContains(t, string(a["hostile"]), "a@a@a@a@a@a@a@a@a.b")

	a = attributesOf(t, lines[2])
	require.Equal(t, `{"stringValue":"`+most+`"}`, string(a["baggage"]), "64 members, 8192 bytes")
	require.Equal(t, `{"stringValue":"`+strings.Join(full[:63], ",")+`"}`, string(a["http.request.header.baggage"]), "8193 bytes")
	require.Equal(t, `{"stringValue":"`+most+`"}`, string(a["x.header.baggage"]), "65 members")
	require.Equal(t, `{"stringValue":"session=7;p=1"}`, string(a["y.header.baggage"]))

	a = attributesOf(t, lines[3])
	for _, gone := range []string{"a.traceparent", "a.tracestate", "b.traceparent", "c.traceparent", "d.traceparent", "f.tracestate"} {
		require.NotContains(t, a, gone)
	}
	require.Equal(t, `{"stringValue":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`, string(a["e.traceparent"]))
	require.Equal(t, `{"stringValue":"ot=th:8"}`, string(a["e.tracestate"]))
	require.Equal(t, `{"stringValue":"`+strings.SplitN(state(150, 128, 128, 128, 62), ",", 2)[1]+`"}`, string(a["g.tracestate"]))
}

// TestASecondBoundaryOfTheSameKindChangesNothing is case 16 on the real binary: what
// came out goes in again, in another order, and comes out byte by byte the same.
func TestASecondBoundaryOfTheSameKindChangesNothing(t *testing.T) {
	const config = `{boundary: edge, digest_key: a key that only this test uses, trace_context: restart, baggage: {allow: [session]}}`
	birds := flock{map[string]string{}}
	signals := positions()
	tenant := func(name string) string {
		return `{"resourceSpans":[{"resource":{"attributes":[` + attribute("tenant.id", name) + `]},"scopeSpans":[{"spans":[{"name":"t","attributes":[` +
			attribute("house.note", "mail jo@corp.example") + `,` + attribute("house.number", "4539578763621487") + `,` + attribute("trace", "0af7651916cd43dd8448eb211c80319c") + `]}]}]}]}`
	}
	bodies := []string{birds.fly(signals["traces"]), tenant("a"), tenant("b"), tenant("a")}
	first := newBoundary(t, config)
	for _, body := range bodies {
		first.post("traces", body)
	}
	once := first.out("traces")
	second := newBoundary(t, config)
	for i := range once {
		second.post("traces", once[len(once)-1-i])
	}
	twice := second.out("traces")
	require.Len(t, twice, len(once))
	for i := range once {
		require.Equal(t, once[i], twice[len(once)-1-i])
	}
	require.Contains(t, once[0], "crosses_boundary")
	require.Equal(t, 1, strings.Count(once[0], `"traceId":"0af7651916cd43dd8448eb211c80319c"`)/2, "the old id stands in the links back alone")
	note := func(line string) string { return string(attributesOf(t, line)["house.note"]) }
	require.Equal(t, note(once[1]), note(once[3]))
	require.NotEqual(t, note(once[1]), note(once[2]), "another tenant, another token")
	require.Contains(t, once[1], "4539578763621487", "fails its checksum: no card")
	require.Contains(t, once[1], `"0af7651916cd43dd8448eb211c80319c"`, "a trace id is no secret")
}

// TestHeadersOfASenderEndAtTheCollector sends with every header that a careless
// exporter could hand on, to a receiver that keeps them beside the data.
func TestHeadersOfASenderEndAtTheCollector(t *testing.T) {
	var mu sync.Mutex
	var seen []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		seen = append(seen, r.Header.Clone())
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	}))
	defer server.Close()
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=" + server.URL}
	p := m.start("--config=yaml:receivers::lenientotlp::include_metadata: true", "--config=yaml:receivers::otlp::protocols::grpc::include_metadata: true",
		"--config=yaml:service::telemetry::logs::level: debug",
		// Without a queue or a batch the sender's context reaches the exporter itself.
		"--config=yaml:exporters::otlp_http/bare: {endpoint: '"+server.URL+"', sending_queue: {enabled: false}}",
		"--config=yaml:service::pipelines::traces/bare: {receivers: [otlp, lenientotlp], processors: [redactor], exporters: [otlp_http/bare]}")
	sent := http.Header{}
	for name, value := range map[string]string{
		"Baggage": "user=" + canary, "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Tracestate": "v=" + canary,
		"Authorization": "Bearer " + canary, "Cookie": "c=" + canary, "X-Scope-Orgid": canary, "X-House": canary, "B3": "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
	} {
		sent.Set(name, value)
	}
	for _, signal := range []string{"traces", "logs"} {
		body := string(trace(1))
		if signal == "logs" {
			body = record(1)
		}
		req, err := http.NewRequest(http.MethodPost, p.Endpoint+"/v1/"+signal, strings.NewReader(body))
		require.NoError(t, err)
		req.Header = sent.Clone()
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
	}
	require.NoError(t, p.Stop())
	require.NotEmpty(t, seen)
	for _, header := range seen {
		for name := range sent {
			require.Empty(t, header.Values(name), name)
		}
		require.NotContains(t, fmt.Sprint(header), canary)
	}
	require.NotContains(t, p.Stderr(), canary)
	for path, content := range everyFile(t, m.set.Home) {
		require.NotContains(t, string(content), canary, path)
	}
}

// TestRestartedTracesGiveTheSameReview reads the example incident behind a boundary
// that restarts every trace: other ids, the same answer.
func TestRestartedTracesGiveTheSameReview(t *testing.T) {
	review := func(args ...string) (*machine, []byte) {
		m := newMachine(t)
		p := m.start(args...)
		for _, r := range incident(t).Requests {
			m.send(p, r.Body)
		}
		require.NoError(t, p.Stop())
		report := m.report("t-deploy")
		require.Equal(t, "b200000000000004", report.Attribution.SpanID)
		b, err := json.Marshal(struct{ A, E, D, C, V, Q any }{report.Attribution.Result, report.Effects, report.Decisions, report.Controls, report.Verdicts, len(report.Traces)})
		require.NoError(t, err)
		return m, b
	}
	_, continued := review()
	m, restarted := review("--config=yaml:processors::redactor::trace_context: restart")
	ids := regexp.MustCompile(`"(TraceID|trace_id)":"[0-9a-f]{32}"`)
	require.Equal(t, ids.ReplaceAllString(string(continued), ""), ids.ReplaceAllString(string(restarted), ""))
	require.NotEqual(t, string(continued), string(restarted))
	back := 0
	for _, link := range m.report("t-deploy").Links {
		if link.Relation == "crosses_boundary" {
			require.Equal(t, link.From.SpanID, link.To.SpanID)
			require.NotEqual(t, link.From.TraceID, link.To.TraceID)
			back++
		}
	}
	require.Positive(t, back)
}
