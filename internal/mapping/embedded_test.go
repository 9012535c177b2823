package mapping

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// embedded compiles the dialects that are in the binary.
func embedded(t testing.TB, options Options) *Tables {
	t.Helper()
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	tables, err := Compile(files, snapshot, options)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func TestEmbeddedDialectsCompile(t *testing.T) { embedded(t, Options{}) }
