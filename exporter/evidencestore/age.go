package evidencestore

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Age is a duration that may be written in days: 400d, 9600h.
type Age time.Duration

var _ encoding.TextUnmarshaler = (*Age)(nil)

// maxDays is what fits into a duration.
const maxDays = 106_751

// UnmarshalText reads an age.
func (a *Age) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= maxDays {
			*a = Age(n) * Age(day)
			return nil
		}
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("must be whole days such as 400d, or a duration in h, m and s such as 9600h")
	}
	*a = Age(d)
	return nil
}

// MarshalText writes an age as it can be read again.
func (a Age) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String is that of a duration.
func (a Age) String() string { return time.Duration(a).String() }
