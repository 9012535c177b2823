package sqlite

import (
	"math"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// A place is the time of the run's latest row and the run's number, in hex.
func placeAt(latest, run int64) evidence.Place {
	return evidence.Place(strconv.FormatUint(uint64(latest), 16) + "-" + strconv.FormatUint(uint64(run), 16))
}

func placeOf(p evidence.Place) (latest, run int64, err error) {
	if p == "" {
		return math.MaxInt64, math.MaxInt64, nil
	}
	first, second, ok := strings.Cut(string(p), "-")
	a, errA := strconv.ParseUint(first, 16, 64)
	b, errB := strconv.ParseUint(second, 16, 64)
	if !ok || errA != nil || errB != nil {
		return 0, 0, evidence.ErrPlace
	}
	return int64(a), int64(b), nil
}
