package lenient

import (
	"fmt"
	"strings"
)

// Reason says why a body is refused.
type Reason uint8

// The closed list of reasons.
const (
	Syntax  Reason = iota // not JSON
	Value                 // JSON, and not what the field takes
	Nesting               // more objects and arrays open than allowed
	reasons
)

var reasonNames = [reasons]string{"syntax", "value", "nesting"}

// String returns the name that telemetry has.
func (r Reason) String() string { return reasonNames[r] }

// Reasons lists every reason.
func Reasons() []Reason { return []Reason{Syntax, Value, Nesting} }

// Fault is the first thing in a body that cannot be read or mended. Nothing in it
// comes from the body: the path has names of the schema and positions, and an
// unknown field is a star.
type Fault struct {
	Reason Reason
	Path   string // JSON path of the field, $ for the body itself
	Offset int    // bytes before the place where it was noticed
	Want   string // what should be there
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: %s (byte %d of the body)", f.Path, f.Want, f.Offset)
}

// longestPath is how many steps of a path are told.
const longestPath = 64

// pathOf joins steps that were noted from the inside out.
func pathOf(steps []string) string {
	var b strings.Builder
	b.WriteByte('$')
	for i := range steps {
		if i == longestPath {
			b.WriteString("…")
			break
		}
		b.WriteString(steps[len(steps)-1-i])
	}
	return b.String()
}
