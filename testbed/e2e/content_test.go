package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// canary stands in every text that is put where content can be.
const canary = "zqcanaryzq"

// contentKeys are the attributes of the corpus that hold what people, models and
// tools wrote. A key that ends in a dot stands for all below it.
var contentKeys = []string{
	"prompt", "response", "tool_parameters", "tool_input", "error",
	"input.value", "output.value", "llm.input_messages.", "llm.output_messages.", "llm.tools.", "tool.description",
}

func isContent(key string) bool {
	for _, c := range contentKeys {
		if key == c || strings.HasSuffix(c, ".") && strings.HasPrefix(key, c) {
			return true
		}
	}
	return false
}

// salt makes text realistic content: a name of the test's, an e-mail address and
// the shape of a secret. JSON stays JSON, so that mappers find their way in.
func salt(text string) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err == nil {
		switch v.(type) {
		case map[string]any, []any:
			b, _ := json.Marshal(saltLeaves(v, false))
			return string(b)
		}
	}
	return text + " " + canary + " for jo." + canary + "@corp.example with AKIA" + "EXAMPLEEXAMPLE7Q and Bearer " + canary + "0123456789abcdef0123"
}

// formatWords decide how a message is read, as long as they stand on its own
// path; below freeKeys the same keys are anybody's.
var (
	formatWords = map[string]bool{"type": true, "role": true, "id": true, "tool_call_id": true, "name": true, "status": true}
	freeKeys    = map[string]bool{"arguments": true, "content": true, "parts": true, "input": true, "output": true, "result": true, "response": true, "parameters": true, "args": true}
)

func saltLeaves(v any, free bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			if free || !formatWords[k] {
				v[k] = saltLeaves(item, free || freeKeys[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = saltLeaves(v[i], free)
		}
	case string:
		return salt(v)
	}
	return v
}

// saltAttributes walks an OTLP/JSON request and salts content attributes; it
// returns how many it found.
func saltAttributes(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		key, _ := v["key"].(string)
		if value, ok := v["value"].(map[string]any); ok && isContent(key) {
			if text, ok := value["stringValue"].(string); ok {
				value["stringValue"] = salt(text)
				n++
			}
		}
		for _, item := range v {
			n += saltAttributes(item)
		}
	case []any:
		for _, item := range v {
			n += saltAttributes(item)
		}
	}
	return n
}

func salted(t *testing.T, file string) []byte {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(corpus(t, file), &v))
	require.Greater(t, saltAttributes(v), 6)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.Contains(t, string(b), canary)
	return b
}

// textEverywhere is a trace with an address and a secret in each position that
// holds text and is no content by its key.
func textEverywhere() []byte {
	attr := `[{"key":"free.text","value":{"stringValue":"mail jo.` + canary + `@corp.example, key AKIA` + `EXAMPLEEXAMPLE7Q"}},
		{"key":"free.list","value":{"arrayValue":{"values":[{"stringValue":"jo.` + canary + `@corp.example"},{"kvlistValue":{"values":[{"key":"deep","value":{"stringValue":"jo.` + canary + `@corp.example"}}]}}]}}}]`
	mail := "jo." + canary + "@corp.example"
	return []byte(`{"resourceSpans":[{"resource":{"attributes":` + attr + `},"scopeSpans":[{"scope":{"name":"s","attributes":` + attr + `},"spans":[{
		"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"report to ` + mail + `","kind":1,
		"startTimeUnixNano":"1796040000000000000","endTimeUnixNano":"1796040001000000000","attributes":` + attr + `,
		"events":[{"timeUnixNano":"1796040000500000000","name":"told ` + mail + `","attributes":` + attr + `}],
		"links":[{"traceId":"0af7651916cd43dd8448eb211c80319d","spanId":"b7ad6b7169203332","traceState":"","attributes":` + attr + `}],
		"status":{"code":2,"message":"no answer from ` + mail + `"}}]}]}]}`)
}

// logsEverywhere is the same for log records.
func logsEverywhere() []byte {
	mail := "jo." + canary + "@corp.example"
	return []byte(`{"resourceLogs":[{"resource":{"attributes":[{"key":"owner.note","value":{"stringValue":"` + mail + `"}}]},"scopeLogs":[{"scope":{"name":"s"},"logRecords":[
		{"timeUnixNano":"1796040000000000000","eventName":"free.event","traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","severityText":"INFO",
		 "body":{"stringValue":"wrote to ` + mail + `"},"attributes":[{"key":"free.text","value":{"stringValue":"` + mail + `"}}]},
		{"timeUnixNano":"1796040000000000001","traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",
		 "body":{"kvlistValue":{"values":[{"key":"to","value":{"stringValue":"` + mail + `"}}]}}}]}]}]}`)
}

// cardNumber is content that is no text.
const cardNumber = "4111222233334444"

// attribute writes one OTLP/JSON attribute whose value is a text.
func attribute(key, text string) string {
	k, _ := json.Marshal(key)
	v, _ := json.Marshal(text)
	return `{"key":` + string(k) + `,"value":{"stringValue":` + string(v) + `}}`
}

// arguments are a tool call's, as a structured OTLP value: under keys that a
// message has words under too, and with values that are no text.
const arguments = `{"kvlistValue":{"values":[
	{"key":"name","value":{"stringValue":"Maria ` + canary + `"}},{"key":"type","value":{"stringValue":"` + canary + `-positive"}},{"key":"id","value":{"stringValue":"` + canary + `"}},
	{"key":"role","value":{"stringValue":"` + canary + `"}},{"key":"finish_reason","value":{"stringValue":"` + canary + `"}},
	{"key":"card","value":{"intValue":"` + cardNumber + `"}},{"key":"scan","value":{"bytesValue":"enFjYW5hcnl6cSBzY2Fu"}},
	{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"` + canary + `"},{"intValue":"` + cardNumber + `"}]}}}]}}`

// called has them in every place that a message or a call may have them in.
const called = `{"kvlistValue":{"values":[{"key":"arguments","value":` + arguments + `},{"key":"parts","value":{"arrayValue":{"values":[` + arguments + `]}}},
	{"key":"result","value":` + arguments + `},{"key":"response","value":` + arguments + `},{"key":"function","value":{"kvlistValue":{"values":[{"key":"arguments","value":` + arguments + `}]}}}]}}`

// message is a GenAI-native one, as a structured OTLP value.
const message = `{"kvlistValue":{"values":[
	{"key":"index","value":{"intValue":"0"}},{"key":"finish_reason","value":{"stringValue":"tool_calls"}},{"key":"anything","value":{"intValue":"` + cardNumber + `"}},
	{"key":"content","value":{"stringValue":"` + canary + `"}},{"key":"parts","value":{"arrayValue":{"values":[` + arguments + `]}}},{"key":"name","value":{"stringValue":"Maria ` + canary + `"}},
	{"key":"message","value":{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"assistant"}},{"key":"content","value":{"stringValue":"` + canary + `"}},
		{"key":"tool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"id","value":{"stringValue":"call_1"}},{"key":"type","value":{"stringValue":"function"}},
			{"key":"function","value":{"kvlistValue":{"values":[{"key":"name","value":{"stringValue":"native_lookup"}},{"key":"arguments","value":` + arguments + `}]}}}]}}]}}}]}}}]}}`

var nativeEvents = []string{"gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message", "gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion"}

// nativeSpans hold GenAI-native span events, and prose where no list of keys
// knows it: under the operator's own keys, in the status and in an event's name.
func nativeSpans() []byte {
	var events []string
	for _, name := range nativeEvents {
		events = append(events, `{"timeUnixNano":"1796040000500000000","name":"`+name+`","attributes":[`+strings.Join([]string{
			attribute("gen_ai.system", "openai"), attribute("content", canary), attribute("gen_ai.event.content", canary), attribute("gen_ai.prompt", canary),
			attribute("name", "Maria "+canary), attribute("message", `{"content":"`+canary+`"}`), attribute("anything", canary),
			`{"key":"tool_calls","value":{"arrayValue":{"values":[` + called + `]}}}`, `{"key":"message","value":` + message + `}`,
		}, ",")+`]}`)
	}
	events = append(events, `{"timeUnixNano":"1796040000500000000","name":"the user said `+canary+`"}`)
	return []byte(`{"resourceSpans":[{"resource":{"attributes":[` + attribute("service.name", "native") + `]},"scopeSpans":[{"scope":{"name":"house.instrumentation"},"spans":[{
		"traceId":"0af7651916cd43dd8448eb211c803199","spanId":"b7ad6b7169203399","name":"chat gpt-5","kind":3,"startTimeUnixNano":"1796040000000000000","endTimeUnixNano":"1796040001000000000",
		"attributes":[` + strings.Join([]string{
		attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.provider.name", "openai"), attribute("gen_ai.request.model", "gpt-5"),
		attribute("error.type", "no user "+canary), attribute("house.note", "Maria "+canary+" is ill"), attribute("house.json", `{"who":"`+canary+`"}`), attribute("house.spoken", "王"+canary+"さん"),
		`{"key":"house.map","value":` + `{"kvlistValue":{"values":[{"key":"Maria ` + canary + `","value":{"stringValue":"Maria ` + canary + `"}}]}}}`,
	}, ",") + `],
		"events":[` + strings.Join(events, ",") + `],"status":{"code":2,"message":"cannot reach Maria ` + canary + `"}}]}]}]}`)
}

// nativeLogs are GenAI-native log records, and records of no known shape.
func nativeLogs() []byte {
	var records []string
	record := func(name, body string) {
		records = append(records, fmt.Sprintf(`{"timeUnixNano":"1796040000%09d","eventName":%q,"traceId":"0af7651916cd43dd8448eb211c803199","spanId":"b7ad6b7169203399","attributes":[`+
			attribute("house.note", "Maria "+canary)+`],"body":%s}`, len(records), name, body))
	}
	for _, name := range nativeEvents {
		for _, body := range []string{message, called, `{"stringValue":"` + canary + `.is.ill"}`, `{"arrayValue":{"values":[` + message + `,` + called + `]}}`, `{"bytesValue":"enFjYW5hcnl6cSBzY2Fu"}`, `{"intValue":"` + cardNumber + `"}`} {
			record(name, body)
		}
	}
	record("", `{"stringValue":"Maria `+canary+` logged in"}`)
	record("house.said", `{"kvlistValue":{"values":[{"key":"text","value":{"stringValue":"Maria `+canary+`"}},{"key":"Maria `+canary+`","value":{"boolValue":true}}]}}`)
	return []byte(`{"resourceLogs":[{"resource":{"attributes":[` + attribute("service.name", "native") + `]},"scopeLogs":[{"scope":{"name":"house.instrumentation"},"logRecords":[` + strings.Join(records, ",") + `]}]}]}`)
}

func TestNoContentReachesTheDisk(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, salted(t, "claude_code.json"), salted(t, "openinference_langgraph.json"), textEverywhere(), logsEverywhere(), nativeSpans(), nativeLogs())
	for _, r := range incident(t).Requests {
		m.send(p, r.Body)
	}

	needles := []string{
		canary, "enFjYW5hcnl6cSBzY2Fu", cardNumber, "@corp.example", "EXAMPLEEXAMPLE7Q",
		// of the corpus as it is; long enough not to stand in a digest by chance
		"dev@example.com", "go test", "rm -rf", "Run tests", "Where is order", "order_id", "You are a shop assistant", "Let me look that up", "shipped",
		// of the incident
		"dana.reviewer", "AKIAEXAMPLE", "correct-horse-battery", "exampletoken", "kind: Deployment", "customers are paying twice", "fix/checkout-rounding", "412 of 412",
	}
	look := func(when string) {
		files := everyFile(t, m.set.Home)
		require.Contains(t, files, m.store())
		var all []byte
		for _, b := range files {
			all = append(all, b...)
		}
		require.Contains(t, string(all), "get_order", "names are kept, so the search reaches what is stored")
		for path, b := range files {
			for _, needle := range needles {
				require.False(t, bytes.Contains(b, []byte(needle)), "%s holds %q %s: %q", path, needle, when, around(b, needle))
			}
		}
		// The same of what is read back, whatever form the bytes on disk have.
		b, err := json.Marshal(m.runs())
		require.NoError(t, err)
		require.Contains(t, string(b), "get_order")
		require.Contains(t, string(b), "native_lookup", "names on the path of a message are kept, so its records were read")
		for _, needle := range needles {
			require.NotContains(t, string(b), needle, when)
		}
	}
	look("while the collector runs, write-ahead log included")
	require.FileExists(t, m.store()+"-wal")
	require.NotContains(t, p.Stderr(), canary)
	require.NoError(t, p.Stop())
	look("after it has ended")
	require.NotContains(t, p.Stderr(), canary)
}

// around shows where a needle stands.
func around(b []byte, needle string) []byte {
	i := bytes.Index(b, []byte(needle))
	if i < 0 {
		return nil
	}
	return b[max(0, i-40):min(len(b), i+len(needle)+40)]
}

// everyFile reads every file below a folder.
func everyFile(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = b
		return err
	}))
	require.NotEmpty(t, files, fmt.Sprint(folder))
	return files
}
