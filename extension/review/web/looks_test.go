package web

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var variable = regexp.MustCompile(`--([a-z-]+):\s*#([0-9a-f]{6})`)

// themes reads the colours of each theme from the style sheet.
func themes(t *testing.T) map[string]map[string]string {
	css, err := files.ReadFile("ui/app.css")
	require.NoError(t, err)
	read := func(after string) map[string]string {
		_, block, ok := strings.Cut(string(css), after)
		require.True(t, ok, after)
		block, _, _ = strings.Cut(block, "}")
		out := map[string]string{}
		for _, m := range variable.FindAllStringSubmatch(block, -1) {
			out[m[1]] = m[2]
		}
		require.Greater(t, len(out), 15, after)
		return out
	}
	return map[string]map[string]string{"light": read(":root {"), "dark by the system": read(":root:not([data-theme=light]) {"), "dark by the switch": read(":root[data-theme=dark] {")}
}

// contrast is that of WCAG 2: (lighter + 0.05) / (darker + 0.05).
func contrast(a, b string) float64 {
	light := func(hex string) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, _ := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Text has a contrast of 4.5 to 1 on every ground that it stands on, borders of
// controls and marks of focus 3 to 1: WCAG AA.
func TestContrast(t *testing.T) {
	grounds := []string{"ground", "surface", "sunken"}
	text := map[string][]string{
		"ink": append([]string{"accent-ground", "good-ground", "odd-ground", "bad-ground", "note-ground"}, grounds...), "quiet": append([]string{"odd-ground", "note-ground"}, grounds...), "accent": append([]string{"odd-ground", "bad-ground", "note-ground"}, grounds...),
		"good": append([]string{"good-ground"}, grounds...), "odd": append([]string{"odd-ground"}, grounds...), "bad": append([]string{"bad-ground"}, grounds...), "note": append([]string{"note-ground"}, grounds...),
		"bar-ink": {"bar-agent", "bar-model", "bar-tool", "bar-other"},
	}
	marks := map[string][]string{"line-strong": grounds, "focus": grounds, "bar-failed": {"surface", "bar-tool", "bar-agent"}, "accent": {"surface"}}
	for theme, colours := range themes(t) {
		for least, pairs := range map[float64]map[string][]string{4.5: text, 3: marks} {
			for ink, on := range pairs {
				for _, ground := range on {
					require.NotEmpty(t, colours[ink], ink)
					require.NotEmpty(t, colours[ground], ground)
					if c := contrast(colours[ink], colours[ground]); c < least {
						t.Errorf("%s: --%s on --%s has %.2f, want %.1f", theme, ink, ground, c, least)
					}
				}
			}
		}
	}
	all := themes(t)
	require.Equal(t, all["dark by the system"], all["dark by the switch"])
	require.InDelta(t, 21, contrast("000000", "ffffff"), 0.01)
	require.InDelta(t, 4.54, contrast("767676", "ffffff"), 0.01)
}

// What is told by a colour is told by a sign or a word too.
func TestEveryStateHasASign(t *testing.T) {
	tones := map[string]map[string]string{}
	for word, s := range states {
		require.NotEmpty(t, s.Sign, word)
		require.NotEmpty(t, s.Word, word)
		if tones[s.Sign] == nil {
			tones[s.Sign] = map[string]string{}
		}
		tones[s.Sign][s.Tone] = word
	}
	for sign, of := range tones {
		if sign == "■" { // proved, and a cancel that worked
			continue
		}
		require.Len(t, of, 1, fmt.Sprintf("%s means several things: %v", sign, of))
	}
}
