package mapping

import (
	"encoding/json"
	"strings"
	"testing"
)

// The quick way over plain bytes, eight at a time, sees what one byte after the
// other would: whatever byte stands wherever.
func TestTextOfEveryByteAtEveryPlace(t *testing.T) {
	for at := range 20 {
		for c := range 256 {
			text := strings.Repeat("a", at) + string([]byte{byte(c)}) + strings.Repeat("~ ", 9)
			quoted := string(appendText(nil, text))
			var back string
			if err := json.Unmarshal([]byte(quoted), &back); err != nil {
				t.Fatalf("byte %d at %d became no JSON: %v", c, at, err)
			}
			if want := strings.ToValidUTF8(text, "\ufffd"); back != want {
				t.Fatalf("byte %d at %d came back as another text", c, at)
			}
			var tree tree
			if n := tree.parse(quoted); n == nil || n.word() != back {
				t.Fatalf("byte %d at %d was not read back", c, at)
			}
			raw := `"` + text + `"`
			tree.reset()
			if got, want := tree.parse(raw) != nil, c >= ' ' && c != '"' && c != '\\'; got != want {
				t.Fatalf("byte %d at %d: read is %v, want %v", c, at, got, want)
			}
		}
	}
}
