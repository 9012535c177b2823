package preview

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
)

const (
	mail  = "ada.lovelace@example.com"
	token = "AKIA" + "IOSFODNN7EXAMPLQ"
)

func policy(t *testing.T) *redact.Policy {
	p, err := redact.Compile(redact.Settings{Boundary: "preview", Key: "a key that only tests use", Secrets: true, PII: redact.PIIKinds()})
	require.NoError(t, err)
	return p
}

func preview(t *testing.T, input string) (Report, string) {
	r, err := Read(policy(t), strings.NewReader(input))
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, WriteText(&out, r))
	assert.NotContains(t, out.String(), mail)
	assert.NotContains(t, out.String(), token)
	return r, out.String()
}

func TestATextIsToldByLineAndColumn(t *testing.T) {
	r, out := preview(t, "first\né mail "+mail+"\n\nkey "+token+" and "+mail+"\n")
	require.Len(t, r.Findings, 3)
	assert.Equal(t, Text, r.Format)
	where := []Finding{}
	for _, f := range r.Findings {
		assert.Regexp(t, `^\[redacted:[a-z_]+:[0-9a-f]{12}\]$`, f.Token)
		f.Token = ""
		where = append(where, f)
	}
	assert.Equal(t, []Finding{{2, 8, len(mail), "email", ""}, {4, 5, len(token), "aws_access_key_id", ""}, {4, 30, len(mail), "email", ""}}, where)
	assert.Equal(t, []Sum{{"email", 2}, {"aws_access_key_id", 1}}, r.Rules)
	assert.Contains(t, out, "3 values would be masked: 2 email, 1 aws_access_key_id")
	_, out = preview(t, "nothing here\n")
	assert.Equal(t, "nothing would be masked\n", out)
	_, out = preview(t, "")
	assert.Equal(t, "nothing would be masked\n", out)
}

func TestALongTextIsReadToItsEnd(t *testing.T) {
	line := strings.Repeat("a line of a long text ", 40) + "\n"
	lines := 3*chunk/len(line) + 7
	r, _ := preview(t, strings.Repeat(line, lines)+"mail "+mail)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, Finding{lines + 1, 6, len(mail), "email", r.Findings[0].Token}, r.Findings[0])

	// A line that is too long is not read, the one behind it is.
	r, _ = preview(t, "one\n"+strings.Repeat("x", 2*chunk+5)+"\n"+mail+"\n")
	require.Len(t, r.Findings, 2)
	assert.Equal(t, Finding{2, 1, 2*chunk + 5, "too_long", ""}, r.Findings[0])
	assert.Equal(t, 3, r.Findings[1].Line)
	r, _ = preview(t, strings.Repeat("x", 2*chunk))
	assert.Equal(t, []Finding{{1, 1, 2 * chunk, "too_long", ""}}, r.Findings)
}

func TestTelemetryIsToldByPosition(t *testing.T) {
	spans := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"to ` + mail + `","attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"prose of ` + mail + `"}}]}]}]}]}`
	hidden := `{"resourceSpans":[{"deprecatedScopeSpans":[{"spans":[{"name":"to ` + mail + `"}]}]}]}`
	logs := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + token + `"}}]}]}]}`
	metrics := `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","description":"of ` + mail + `"}]}]}]}`
	profiles := `{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"originalPayload":"YWJj"}]}]}]}`
	r, out := preview(t, "\n "+strings.Join([]string{spans, spans, hidden, logs, metrics, profiles}, "\n")+"\n")
	assert.Equal(t, OTLP, r.Format)
	assert.Equal(t, []Count{
		{"logs", "log_body", "", "aws_access_key_id", 1},
		{"metrics", "metric_description", "", "email", 1},
		{"profiles", "profile_payload", "", "opaque", 1},
		{"traces", "span_attribute", "gen_ai.input.messages", "content", 2},
		{"traces", "span_name", "", "email", 3},
	}, r.Counts)
	assert.Equal(t, int64(8), r.Values)
	assert.Contains(t, out, "8 values would be masked: 4 email, 2 content")
}

func TestUTF16IsRefused(t *testing.T) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		_, err := Read(policy(t), strings.NewReader(mark+"a\x00d\x00a\x00"))
		require.ErrorContains(t, err, "iconv -f UTF-16")
	}
}

func TestJSONThatIsNoTelemetryIsText(t *testing.T) {
	for _, input := range []string{
		`{"who":"` + mail + `"}`, `{"who":"` + mail + `"`, `{"resourceSpans":"` + mail + `"}`, `{"resourceSpans":[{"a":{]} ` + mail, "  {} " + mail, "[\"" + mail + "\"]",
	} {
		r, _ := preview(t, input)
		assert.Equal(t, Text, r.Format, input)
		require.Len(t, r.Findings, 1, input)
		assert.Equal(t, strings.Index(input, mail)+1, r.Findings[0].Column)
	}
}

func TestErrorsHoldNothingOfTheInput(t *testing.T) {
	good := `{"resourceSpans":[]}`
	for _, bad := range []string{mail, `{"a":"` + mail + `"}`, `{"resourceSpans":{"` + mail + `":1}}`} {
		_, err := Read(policy(t), strings.NewReader(good+good+bad))
		require.ErrorContains(t, err, "value 3 of the input must be an OTLP/JSON request")
		assert.NotContains(t, err.Error(), "ada")
	}
	_, err := Read(policy(t), io.MultiReader(strings.NewReader("text\n"), iotest.ErrReader(errors.New("disk is gone"))))
	require.ErrorContains(t, err, "read the input: disk is gone")
}

func TestTheKeyOfAnAttributeIsTold(t *testing.T) {
	attr := func(key, text string) string { return `{"key":"` + key + `","value":{"stringValue":"` + text + `"}}` }
	long := strings.Repeat("k", 100)
	nested := `{"key":"outer","value":{"kvlistValue":{"values":[` + attr("inner", mail) + `]}}}`
	r, out := preview(t, `{"resourceSpans":[{"resource":{"attributes":[`+attr("host.name", mail)+`]},"scopeSpans":[{"spans":[{"name":"`+mail+`","attributes":[`+
		strings.Join([]string{attr("os.description", mail+" "+token), attr(mail, "x"), attr(long, mail), nested, attr("clean", "x")}, ",")+`]}]}]}]}`)
	assert.Equal(t, []Count{
		{"traces", "attribute_key", "", "email", 1},
		{"traces", "resource_attribute", "host.name", "email", 1},
		{"traces", "span_attribute", long[:maxKey-1] + "…", "email", 1},
		{"traces", "span_attribute", "os.description", "aws_access_key_id", 1},
		{"traces", "span_attribute", "os.description", "email", 1},
		{"traces", "span_attribute", "outer", "email", 1},
		{"traces", "span_name", "", "email", 1},
	}, r.Counts)
	assert.Equal(t, int64(7), r.Values)
	assert.NotContains(t, out, "clean")
}

func TestWhatMayBeTelemetryIsDoubted(t *testing.T) {
	for input, want := range map[string]string{
		`{"resourceSpans":[{"a":{]} `: doubtOTLP, `[{"resourceLogs":[]}]`: doubtOTLP, `{"resource_spans": 7}`: doubtOTLP, "\x0a\x00\x12": doubtBinary, "abc \xff\n": doubtBinary,
		`{"a":1}`: "", "plain é": "", "": "", strings.Repeat("é", 1<<17): "", `{"resourceSpans":[]}`: "",
	} {
		r, err := Read(policy(t), strings.NewReader(input))
		require.NoError(t, err)
		assert.Equal(t, want, r.Doubt, "%.20q", input)
	}
}
