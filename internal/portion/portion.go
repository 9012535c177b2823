// Package portion makes an answer fit into what a language model reads at once.
//
// Words:
//
//   - answer: any value that is JSON
//   - portion: the answer with long texts and long lists cut, and what was left off
//     counted; small enough, or an error
//   - inert: text of others in which nothing hides, moves a cursor, or turns the
//     direction of writing, see package listing
//
// A model cannot page through one answer, and it reads characters that a person never
// sees. The package does not choose what matters: of every list the beginning stays.
package portion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// Settings bounds portions.
type Settings struct {
	Bytes int // of the portion as JSON
	Text  int // characters of one text
	// Whole are lists of the answer itself that are not cut: the caller pages through
	// them.
	Whole []string
	// Maps are keys whose values are maps with keys of others: they are cut as lists are.
	Maps []string
}

// Portion is an answer that fits.
type Portion struct {
	Answer any // of maps, lists, texts and numbers
	// LeftOff counts what lists and maps have no more, by their keys from the answer on,
	// as "effects" or "effects.attempts".
	LeftOff map[string]int
}

// TooLarge is an answer that does not fit however much is cut.
type TooLarge struct{ Bytes int }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the answer is larger than %d bytes; ask for less", e.Bytes)
}

// steps are how many items of every list stay, one bound after the other until it fits.
var steps = []int{1000, 200, 100, 50, 20, 10, 5}

// Of returns the portion of an answer. Equal answers have equal portions.
func Of(answer any, s Settings) (Portion, error) {
	var b bytes.Buffer
	if err := encode(&b, answer); err != nil {
		return Portion{}, err
	}
	d := json.NewDecoder(&b)
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return Portion{}, err
	}
	v = s.texts(v)
	for _, most := range steps {
		p := Portion{LeftOff: map[string]int{}}
		p.Answer = s.cut(v, "", most, p.LeftOff)
		b.Reset()
		if err := encode(&b, p.Answer); err != nil {
			return p, err
		}
		if b.Len() <= s.Bytes {
			return p, nil
		}
	}
	return Portion{}, &TooLarge{s.Bytes}
}

// encode writes JSON in which "<" stays "<".
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// texts makes all texts inert and cuts long ones.
func (s *Settings) texts(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		for i := range v {
			v[i] = s.texts(v[i])
		}
	case map[string]any:
		return s.named(v)
	}
	return v
}

// named makes the keys of a map inert too. Those that become equal by it get numbers,
// so that none takes the place of another.
func (s *Settings) named(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	equal := map[string]int{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		name := s.text(k)
		for taken := true; taken; {
			equal[name]++
			numbered := name
			if n := equal[name]; n > 1 {
				numbered = fmt.Sprintf("%s (%d)", name, n)
			}
			if _, taken = out[numbered]; !taken {
				out[numbered] = s.texts(m[k])
			}
		}
	}
	return out
}

func (s *Settings) text(t string) string {
	t = listing.Inert(t)
	if more := utf8.RuneCountInString(t) - s.Text; more > 0 {
		return fmt.Sprintf("%s… (%d more characters)", string([]rune(t)[:s.Text]), more)
	}
	return t
}

// cut returns v with at most so many items of every list.
func (s *Settings) cut(v any, at string, most int, left map[string]int) any {
	switch v := v.(type) {
	case []any:
		n := len(v)
		if n > most && !slices.Contains(s.Whole, at) {
			left[at] += n - most
			n = most
		}
		out := make([]any, n)
		for i := range out {
			out[i] = s.cut(v[i], at, most, left)
		}
		return out
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		free := slices.Contains(s.Maps, at)
		if free && len(keys) > most {
			left[at] += len(keys) - most
			keys = keys[:most]
		}
		out := make(map[string]any, len(keys))
		for _, k := range keys {
			below := k
			switch {
			case free:
				below = at
			case at != "":
				below = at + "." + k
			}
			out[k] = s.cut(v[k], below, most, left)
		}
		return out
	}
	return v
}
