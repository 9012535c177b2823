package codec

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// numbers is a Namer that knows every name.
type numbers struct{ names []string }

func (n *numbers) Key(name string) (int64, bool) {
	for i, known := range n.names {
		if known == name {
			return int64(i), true
		}
	}
	n.names = append(n.names, name)
	return int64(len(n.names) - 1), true
}

func (n *numbers) Value(_, text string) (int64, bool) { return n.Key(text) }

func (n *numbers) name(id int64) (string, error) {
	if id < 0 || id >= int64(len(n.names)) {
		return "", ErrCorrupt
	}
	return n.names[id], nil
}

func TestEqualMapsHaveEqualBytes(t *testing.T) {
	var e Encoder
	want, err := e.Attrs(nil, map[string]any{"a": int64(1), "b": map[string]any{"x": "y", "z": []any{nil}}, "c": true}, nil)
	require.NoError(t, err)
	for range 50 { // map order differs
		m := map[string]any{"c": true, "b": map[string]any{"z": []any{nil}, "x": "y"}, "a": int64(1)}
		got, err := e.Attrs(nil, m, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestKeysInOrderMakeTheSameBytes(t *testing.T) {
	m := map[string]any{"c": true, "b": map[string]any{"z": []any{nil}, "x": "y"}, "a": int64(1), "": "d"}
	for name, skip := range map[string]func(string) bool{"all": nil, "some": func(k string) bool { return k == "b" || k == "" }} {
		var e Encoder
		want, err := e.Attrs([]byte{7}, m, skip)
		require.NoError(t, err)
		got, err := e.AttrsInOrder([]byte{7}, m, Keys(nil, m), skip)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}

func TestDifferentValuesHaveDifferentBytes(t *testing.T) {
	values := []any{
		nil, "", "0", int64(0), 0.0, math.Copysign(0, -1), math.NaN(), false, true, []byte{}, []byte("0"),
		[]any{}, []any{nil}, []any{[]any{}}, map[string]any{}, map[string]any{"": nil}, int64(-1), int64(1), 1.0, "1",
	}
	var e Encoder
	seen := map[string]int{}
	for i, v := range values {
		b, err := e.Value(nil, "", v)
		require.NoError(t, err)
		if j, twice := seen[string(b)]; twice {
			t.Errorf("%#v and %#v have the same bytes", values[i], values[j])
		}
		seen[string(b)] = i
	}
}

func TestDepthIsBoundedBothWays(t *testing.T) {
	nest := func(levels int) any {
		v := any("x")
		for range levels {
			v = map[string]any{"k": []any{v}}
		}
		return v
	}
	var e Encoder
	b, err := e.Value(nil, "", nest(MaxDepth/2))
	require.NoError(t, err)
	d := Decoder{}
	_, err = d.One(b)
	require.NoError(t, err, "what was encoded can be decoded")
	_, err = e.Value(nil, "", nest(MaxDepth/2+1))
	require.ErrorIs(t, err, ErrTooDeep)
	_, err = d.One(bytes.Repeat([]byte{tagList, 1}, 100_000))
	require.ErrorIs(t, err, ErrTooDeep)
}

func TestCutOffBytesAreRefused(t *testing.T) {
	var e Encoder
	b, err := e.Attrs(nil, map[string]any{"a": "text", "b": 1.5, "c": []any{int64(300), []byte("x")}, "d": map[string]any{"e": true}}, nil)
	require.NoError(t, err)
	for n := 1; n < len(b); n++ {
		d := Decoder{}
		_, err := d.Attrs(b[:n])
		require.ErrorIs(t, err, ErrCorrupt, "%d of %d bytes", n, len(b))
	}
	d := Decoder{}
	_, err = d.Attrs(append(b, 0))
	require.ErrorIs(t, err, ErrCorrupt, "a byte too many")
}

// FuzzDecode gives the Decoder any bytes. What it takes must come back the same
// when encoded and decoded again, with and without a Namer.
func FuzzDecode(f *testing.F) {
	var e Encoder
	for _, m := range []map[string]any{
		{}, {"a": "b"}, {"a": int64(-5), "b": math.Inf(-1), "c": []byte{0, 255}}, {"l": []any{true, nil, map[string]any{"x": "\xff"}}},
	} {
		b, err := e.Attrs(nil, m, nil)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte{1, 3, tagName, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		names := &numbers{names: []string{"zero", "one"}}
		d := Decoder{Name: names.name}
		m, err := d.Attrs(b)
		if err != nil {
			return
		}
		plain := Encoder{}
		first, err := plain.Attrs(nil, m, nil)
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		for _, e := range []Encoder{{}, {Names: names}} {
			again, err := e.Attrs(nil, m, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := Decoder{Name: names.name}
			back, err := d.Attrs(again)
			if err != nil {
				t.Fatalf("encoded but not decoded: %v", err)
			}
			second, err := plain.Attrs(nil, back, nil)
			if err != nil || !bytes.Equal(first, second) {
				t.Fatalf("%v came back as %v (%v)", m, back, err)
			}
		}
	})
}

func BenchmarkEncodeAttrs(b *testing.B) {
	m := map[string]any{}
	for i := range 20 {
		m[fmt.Sprintf("gen_ai.some.attribute.%d", i)] = fmt.Sprintf("value number %d", i)
	}
	e := Encoder{Names: &numbers{}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = e.Attrs(buf[:0], m, nil)
	}
}
