package mapping

import (
	"path/filepath"
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What a look at the bits of keys leaves out would have done nothing.
func TestBitsOfKeysChangeNothing(t *testing.T) {
	quick, slow := embedded(t, Options{Content: true}), embedded(t, Options{Content: true})
	for _, d := range slow.dialects {
		for _, p := range d.sections {
			if p != nil {
				forgetBits(&p.body)
			}
		}
	}
	files, err := filepath.Glob("testdata/samples/[01]*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no samples", err)
	}
	for _, file := range files {
		a, b := readTraces(t, file), readTraces(t, file)
		quick.MapTraces(a)
		slow.MapTraces(b)
		m := ptrace.JSONMarshaler{}
		got, _ := m.MarshalTraces(a)
		want, _ := m.MarshalTraces(b)
		if string(got) != string(want) {
			t.Errorf("%s: the result depends on the bits", file)
		}
	}
}

func forgetBits(b *block) {
	b.keys = neededKeys{}
	for i := range b.fields {
		b.fields[i].wants = 0
	}
	for _, inner := range [][]block{b.cases, b.finally} {
		for i := range inner {
			forgetBits(&inner[i])
		}
	}
}

func TestShortNumbersAreExact(t *testing.T) {
	for _, word := range []string{"0.2", "-0.95", "1.7", "123456.789", "0.0000001", "99999999999.999", "4711", "-3", "0.1"} {
		d, ok := shortNumber(word)
		want, err := strconv.ParseFloat(word, 64)
		if got, isNumber := d.number(); !ok || !isNumber || err != nil || got != want {
			t.Errorf("%s is read as %v, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "-", ".5", "5.", "1.2.3", "1e3", "0x1", "1234567890123456"} {
		if _, ok := shortNumber(word); ok {
			t.Errorf("%q is taken for a short number", word)
		}
	}
}
