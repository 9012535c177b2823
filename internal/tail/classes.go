package tail

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// AlwaysProtected reports whether a class protects under every policy.
func AlwaysProtected(class string) bool {
	return slices.Contains(evidence.Classes(), class) && class != evidence.ClassVerifierFail && class != evidence.ClassError
}

// rank is the place of a class; one that is named first names the run.
func rank(class string) int {
	classes := evidence.Classes()
	if i := slices.Index(classes, class); i >= 0 {
		return i
	}
	return len(classes)
}
