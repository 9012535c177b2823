package ledger

import "bytes"

// SplitNotes returns the signed notes of a text that holds one after the other.
// What is no note comes back as one, for whoever opens it to say so.
func SplitNotes(text []byte) (notes [][]byte) {
	signature := []byte("— ")
	from, signed := 0, false
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := text[at:end]
		switch {
		case bytes.HasPrefix(line, signature):
			signed = true
		case signed && len(bytes.TrimSpace(line)) == 0:
			notes = append(notes, text[from:at])
			from, signed = end, false
		case signed:
			notes = append(notes, text[from:at])
			from, signed = at, false
		}
		at = end
	}
	if len(bytes.TrimSpace(text[from:])) > 0 {
		notes = append(notes, text[from:])
	}
	return notes
}
