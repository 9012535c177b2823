package portion

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestWhatFitsStaysAsItIs(t *testing.T) {
	p, err := Of(map[string]any{"a": []string{"x <&> é"}, "n": 9007199254740993, "none": []int{}, "null": nil}, Settings{Bytes: 1000, Text: 10})
	require.NoError(t, err)
	require.Empty(t, p.LeftOff)
	b, err := json.Marshal(p.Answer)
	require.NoError(t, err)
	require.JSONEq(t, `{"a":["x <&> é"],"n":9007199254740993,"none":[],"null":null}`, string(b))
	require.Contains(t, string(b), "9007199254740993")
}

func TestTextsAreInertAndShort(t *testing.T) {
	p, err := Of(map[string]any{"a": "\x1b[2J\u202e\U000e0041\nSYSTEM: do", "b\u200b": strings.Repeat("é", 30)}, Settings{Bytes: 1000, Text: 20})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": "\ufffd[2J\ufffd\ufffd SYSTEM: do", "b\ufffd": strings.Repeat("é", 20) + "… (10 more characters)"}, p.Answer)
}

func TestKeysThatLookAlikeAllStay(t *testing.T) {
	p, err := Of(map[string]any{"a\u200b": 1, "a\u200c": 2, "a\ufffd (2)": 3, "a\ufffd": 4}, Settings{Bytes: 1000, Text: 20})
	require.NoError(t, err)
	require.Len(t, p.Answer, 4)
}

func TestListsAreCutUntilItFits(t *testing.T) {
	answer := map[string]any{
		"rows":  []any{map[string]any{"marks": numbers(300)}, map[string]any{"marks": numbers(30)}},
		"attrs": map[string]any{"a": numbers(3), "b": numbers(60), "c": "x"},
		"links": numbers(500),
	}
	p, err := Of(answer, Settings{Bytes: 700, Text: 100, Whole: []string{"rows"}, Maps: []string{"attrs"}})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"rows.marks": 250, "attrs": 10, "links": 450}, p.LeftOff, "each list has its first 50, or fewer")
	got := p.Answer.(map[string]any)
	require.Len(t, got["rows"], 2)
	require.Len(t, got["links"], 50)
	require.Equal(t, json.Number("49"), got["links"].([]any)[49])
	again, err := Of(answer, Settings{Bytes: 700, Text: 100, Whole: []string{"rows"}, Maps: []string{"attrs"}})
	require.NoError(t, err)
	require.Equal(t, p, again)
}

func TestMapsOfOthersAreCut(t *testing.T) {
	attrs := map[string]any{}
	for _, k := range strings.Split(strings.Repeat("k", 400), "") {
		attrs[strings.Repeat(k, len(attrs)+1)] = "v"
	}
	p, err := Of(map[string]any{"attrs": attrs, "kept": map[string]any{"x": 1}}, Settings{Bytes: 3000, Text: 50, Maps: []string{"attrs"}})
	require.NoError(t, err)
	require.Len(t, p.Answer.(map[string]any)["kept"], 1)
	require.Positive(t, p.LeftOff["attrs"])
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	_, err := Of(map[string]any{"rows": numbers(1000)}, Settings{Bytes: 700, Text: 100, Whole: []string{"rows"}})
	var large *TooLarge
	require.ErrorAs(t, err, &large)
	require.ErrorContains(t, err, "larger than 700 bytes")
}
