package keyfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestAKeyIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "redaction.key")
	first, err := Load(path, bytes.NewReader(bytes.Repeat([]byte{7}, NewBytes)))
	if err != nil || len(first) != 2*NewBytes {
		t.Fatal(err, len(first))
	}
	again, err := Load(path, nil)
	if err != nil || again != first {
		t.Fatal("another key", err)
	}
}

func TestAShortSupplyOfDiceMakesNoKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redaction.key")
	if _, err := Load(path, bytes.NewReader([]byte{1})); err == nil {
		t.Fatal("a key of one byte")
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("a file was left")
	}
}

func TestBeside(t *testing.T) {
	for _, c := range []struct{ data, home, want string }{
		{"/d", "/h", "/d/otelcol-agent/redaction.key"},
		{"relative", "/h", "/h/.local/share/otelcol-agent/redaction.key"},
		{"", "", ""},
	} {
		if got := filepath.ToSlash(Beside(c.data, c.home)); got != c.want {
			t.Errorf("%q %q: got %q, want %q", c.data, c.home, got, c.want)
		}
	}
}
