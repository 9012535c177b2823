package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// MaxLine is how long a line may be in bytes; the collector's presets cut at more.
const MaxLine = 15 << 20

// timeKey is the member that a line has more than what was said: Unix milliseconds.
const timeKey = "journal_time"

// ErrTooLong says that a line is longer than MaxLine.
var ErrTooLong = fmt.Errorf("must be at most %d MiB long", MaxLine>>20)

var errNoObject = errors.New("must be one JSON object")

// Line makes a line of a JSON object that was said at a time. Its errors hold nothing
// of it.
func Line(said []byte, at time.Time) ([]byte, error) {
	said = bytes.TrimSpace(said)
	if len(said) > MaxLine {
		return nil, ErrTooLong
	}
	if len(said) == 0 || said[0] != '{' || !json.Valid(said) {
		return nil, errNoObject
	}
	var b bytes.Buffer
	if err := json.Compact(&b, said); err != nil {
		return nil, errNoObject
	}
	line := b.Bytes()[:b.Len()-1]
	if len(line) > 1 {
		line = append(line, ',')
	}
	line = append(line, `"`+timeKey+`":`...)
	line = strconv.AppendInt(line, at.UnixMilli(), 10)
	return append(line, "}\n"...), nil
}
