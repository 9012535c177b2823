package lenient

import (
	"encoding/json"
	"errors"
	"regexp"
	"testing"
)

var jsonPath = regexp.MustCompile(`^\$(\.[A-Za-z]+|\.\*|\[[0-9]+\])*…?$`)

// Whatever the body: what the decoder takes is left alone, what is mended decodes,
// and a fault has a path of names that are not from the body.
func FuzzRepair(f *testing.F) {
	for _, body := range seeds() {
		for s := range signals {
			f.Add(uint8(s), body)
		}
	}
	f.Fuzz(func(t *testing.T, signal uint8, body []byte) {
		s := signals[int(signal)%len(signals)]
		agree(t, s, body)
		fixed, counts, err := Repair(s, body, levels)
		var fault *Fault
		switch {
		case errors.As(err, &fault):
			if !jsonPath.MatchString(fault.Path) {
				t.Fatalf("path %q", fault.Path)
			}
		case counts.Total() > 0 && json.Valid(body) && !json.Valid(fixed):
			t.Fatalf("%q was JSON and became %q", body, fixed)
		}
	})
}

func seeds() [][]byte {
	out := [][]byte{
		valueOf(`{"doubleValue":{},"intValue":1.5,"boolValue":"true","x":[1,{"y":-2.5e1}]}`),
		valueOf(`{"arrayValue":{"values":[{"intValue":""},{"stringValue":"a\"\u00e4"},null]}}`),
		logOf(`"traceId":null,"spanId":"AAECAwQFBgc=","severityNumber":9,"timeUnixNano":"1700000000000000000","body":{"bytesValue":"AAEC"}`),
		[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","kind":"SPAN_KIND_CLIENT","status":{"code":2},"events":[{"name":"e"}]}]}]}]}`),
		[]byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":{"dataPoints":[{"asDouble":1e3,"attributes":[]}],"isMonotonic":true}}]}]}]}`),
		[]byte(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"profileId":"","samples":[{"values":["1",2]}]}]}]}],"dictionary":{"stringTable":["",null]}}`),
	}
	for s := range signals {
		for _, at := range ways(Signal(s)) {
			out = append(out, []byte(at.before+`{}`+at.after))
		}
	}
	return out
}
