package listing

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseSince reads the start of a listing: a duration back from now (24h, also
// 7d for days), an RFC 3339 time, or a date in UTC. Empty text is the beginning.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return held(now.AddDate(0, 0, -int(n))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		if d < 0 {
			return time.Time{}, fmt.Errorf("since must not be negative, found %q", text)
		}
		return held(now.Add(-d)), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return held(t), nil
		}
	}
	return time.Time{}, fmt.Errorf("since must be a duration like 24h or 7d, an RFC 3339 time or a date, found %q", text)
}

// Times of rows are Unix nanoseconds in 64 bits. A time beyond these would be counted
// as another one, long after or before.
var (
	first = time.Unix(0, 0).UTC()
	last  = time.Unix(0, math.MaxInt64).UTC()
)

// held is the time nearest to t that a row can have.
func held(t time.Time) time.Time {
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t
}
