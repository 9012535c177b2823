package listing

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

const noon = int64(1796040000_000000000) // 2026-11-30T12:00:00Z

func incident() Row {
	return RowOf(evidence.Summary{
		ID: "t-deploy", Name: "invoke_agent coder", Agent: "coder", Service: "shop-coder", Session: "6f1c2d3e-4b5a-4c7d-8e9f-000000000001", Outcome: "completed", Supported: "unknown",
		Class: "security_denial", Classes: []string{"security_denial", "cancel_ignored"}, Agents: []string{"coder", "deployer"},
		Result: "step", Start: noon, End: noon + 1, Spans: 12, Errors: 2,
	})
}

func turn() Row {
	return RowOf(evidence.Summary{
		ID: "trace:938db8c9f82c8cb58d3f3ef4fd250036", Name: "LangGraph", Agent: "order_agent",
		Supported: "unknown", Start: noon - int64(time.Hour), Spans: 5,
	})
}

func text(t *testing.T, rows []Row, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, rows, opt))
	return b.String()
}

func TestTextIsATableWithoutEmptyColumns(t *testing.T) {
	require.Equal(t, `STARTED           TASK          OUTCOME    EVIDENCE  CLASS            SPANS  ERRORS  SERVICE     AGENT        SESSION                               NAME
2026-11-30 12:00  t-deploy      completed  unknown   security_denial     12       2  shop-coder  coder        6f1c2d3e-4b5a-4c7d-8e9f-000000000001  invoke_agent coder
2026-11-30 11:00  938db8c9f82c             unknown                        5       0              order_agent                                        LangGraph
`, text(t, []Row{incident(), turn()}, TextOptions{}))
	require.Empty(t, text(t, nil, TextOptions{}))
}

func TestTenantsAreTold(t *testing.T) {
	row := incident()
	row.Tenant = "shop"
	require.Contains(t, text(t, []Row{row}, TextOptions{}), "TENANT")
}

func TestTableFitsTheTerminal(t *testing.T) {
	row := incident()
	row.Name = strings.Repeat("long ", 40)
	for _, width := range []int{80, 100, 120, 200} {
		for _, line := range strings.Split(text(t, []Row{row, turn()}, TextOptions{Width: width}), "\n") {
			require.LessOrEqual(t, utf8.RuneCountInString(line), width)
		}
	}
	require.Equal(t, `STARTED           TASK          OUTCOME    EVIDENCE  CLASS            SERVICE
2026-11-30 12:00  t-deploy      completed  unknown   security_denial  shop-coder
2026-11-30 11:00  938db8c9f82c             unknown
`, text(t, []Row{row, turn()}, TextOptions{Width: 80}))
}

// On 100 columns a run is still told apart by service, agent and session.
func TestAHundredColumnsTellRunsApart(t *testing.T) {
	require.Equal(t, `STARTED           TASK          OUTCOME    EVIDENCE  CLASS            SERVICE     AGENT     SESSION
2026-11-30 12:00  t-deploy      completed  unknown   security_denial  shop-coder  coder     6f1c2d3…
2026-11-30 11:00  938db8c9f82c             unknown                                order_a…
`, text(t, []Row{incident(), turn()}, TextOptions{Width: 100}))
}

func TestIdsAreNeverCut(t *testing.T) {
	row := incident()
	row.ID = strings.Repeat("checkout-service/", 10)
	require.Contains(t, text(t, []Row{row, turn()}, TextOptions{Width: 60}), row.ID)
}

func TestColorOnlyWhenAsked(t *testing.T) {
	require.NotContains(t, text(t, []Row{incident()}, TextOptions{}), "\x1b")
	require.Contains(t, text(t, []Row{incident()}, TextOptions{Color: true}), "\x1b[31m")
}

func TestForeignTextIsInert(t *testing.T) {
	for name, hostile := range map[string]string{
		"escape sequence":        "a\x1b[2Jb",
		"C1 control":             "a\u009b2Jb",
		"bidirectional override": "a\u202eb",
		"zero-width joiner":      "a\u200db",
		"line separator":         "a\u2028b",
		"carriage return":        "a\rb",
		"newline":                "a\nb",
		"not UTF-8":              "a\xffb",
	} {
		t.Run(name, func(t *testing.T) {
			row := incident()
			row.Name, row.ID, row.Agent, row.Outcome, row.Class, row.Tenant = hostile, hostile, hostile, hostile, hostile, hostile
			out := text(t, []Row{row}, TextOptions{})
			require.Equal(t, 2, strings.Count(out, "\n"))
			for _, line := range strings.Split(out, "\n") {
				require.Equal(t, line, Inert(line))
			}

			var b bytes.Buffer
			require.NoError(t, WriteJSON(&b, []Row{row}))
			for _, line := range strings.Split(b.String(), "\n") {
				require.Equal(t, line, Inert(line))
			}
			var back []Row
			require.NoError(t, json.Unmarshal(b.Bytes(), &back))
			require.Equal(t, strings.ToValidUTF8(hostile, "\ufffd"), back[0].Name, "JSON keeps the value")
		})
	}
}

func TestJSONKeepsRunesBeyondTheBasicPlane(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, map[string]string{"a": "tag \U000E0041, face \U0001F600, <b>"}))
	require.Contains(t, b.String(), `tag \udb40\udc41, face 😀, <b>`)
	var back map[string]string
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, "tag \U000E0041, face \U0001F600, <b>", back["a"])
}

func TestJSONOfNothingIsAList(t *testing.T) {
	var none []Row
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, none))
	require.Equal(t, "[]\n", b.String())
}

func FuzzInert(f *testing.F) {
	f.Add("a\x1b[31m\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		once := Inert(s)
		require.True(t, utf8.ValidString(once))
		require.Equal(t, once, Inert(once))
		require.NotContains(t, once, "\x1b")
	})
}

func TestFilter(t *testing.T) {
	row := incident()
	require.True(t, Filter{}.Match(row))
	require.True(t, Filter{Class: "security_denial", Outcome: "completed"}.Match(row))
	require.False(t, Filter{Class: "error"}.Match(row))
	require.True(t, Filter{Class: "cancel_ignored"}.Match(row), "any class of the run")
	require.False(t, Filter{Outcome: "failed"}.Match(row))
}

func TestRowKeepsTheWholeTraceID(t *testing.T) {
	require.Equal(t, "938db8c9f82c8cb58d3f3ef4fd250036", turn().ID)
	require.Equal(t, "2026-11-30T12:00:00.000000001Z", incident().End)
	require.Empty(t, RowOf(evidence.Summary{}).Start)
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"24h":                       now.Add(-24 * time.Hour),
		"90m":                       now.Add(-90 * time.Minute),
		"7d":                        now.AddDate(0, 0, -7),
		"2026-11-01":                time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		"2026-11-30T10:00:00+01:00": time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC),
		"1600-01-01":                time.Unix(0, 0),
		"0001-01-01":                time.Unix(0, 0),
		"40000d":                    time.Unix(0, 0),
		"2500000h":                  time.Unix(0, 0),
		"2262-04-12":                time.Unix(0, math.MaxInt64),
		"9999-12-31T23:59:59Z":      time.Unix(0, math.MaxInt64),
	} {
		got, err := ParseSince(text, now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s is %s", text, got)
	}
	for _, text := range []string{"yesterday", "-1h", "-2d", "24", "2026-13-01"} {
		_, err := ParseSince(text, now)
		require.Error(t, err, text)
	}
}

// One enormous id bounds its own line and does not pad the others.
func TestALongIDDoesNotWidenTheTable(t *testing.T) {
	row := incident()
	row.ID = strings.Repeat("x", 100_000)
	lines := strings.Split(text(t, []Row{row, turn()}, TextOptions{}), "\n")
	require.Less(t, utf8.RuneCountInString(lines[1]), 2*longestID)
	require.Less(t, utf8.RuneCountInString(lines[2]), 250)
}

func TestMisspeltFilterIsRefused(t *testing.T) {
	require.NoError(t, Filter{Class: "security_denial", Outcome: "running"}.Validate())
	err := Filter{Class: "security-denial", Outcome: "done"}.Validate()
	require.ErrorContains(t, err, `class must be one of security_denial,`)
	require.ErrorContains(t, err, `found "done"`)
}
