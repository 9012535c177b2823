package preview

import (
	"bufio"
	"bytes"
	"unicode/utf8"
)

// Doubts of a Report.
const (
	doubtBinary = "the input is binary; OTLP is read as JSON only"
	doubtOTLP   = "the input looks like OTLP/JSON and cannot be read as such"
)

var requests = [][]byte{
	[]byte(`"resourceSpans"`), []byte(`"resourceLogs"`), []byte(`"resourceMetrics"`), []byte(`"resourceProfiles"`),
	[]byte(`"resource_spans"`), []byte(`"resource_logs"`), []byte(`"resource_metrics"`), []byte(`"resource_profiles"`),
}

// doubt looks at the beginning of what will be read as a text, as far as it is
// buffered.
func doubt(b *bufio.Reader) string {
	head, _ := b.Peek(b.Size())
	for _, name := range requests {
		if bytes.Contains(head, name) {
			return doubtOTLP
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return doubtBinary
	}
	if len(head) == b.Size() { // a character may be cut at the end
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	if !utf8.Valid(head) {
		return doubtBinary
	}
	return ""
}
