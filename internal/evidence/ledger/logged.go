package ledger

import (
	"fmt"
	"time"
)

// Logged is an entry as people read it.
type Logged struct {
	Log     string    `json:"log,omitempty"` // origin, of a store with several
	Leaf    int64     `json:"leaf"`
	What    string    `json:"what"` // NewKey, Retention or Erasure
	Time    time.Time `json:"time"` // zero without a clock
	Key     string    `json:"key,omitempty"`
	Old     *Retained `json:"retention,omitempty"`
	Subject string    `json:"subject,omitempty"` // hash of what was erased
	Leaves  int       `json:"leaves,omitempty"`  // that the erasure took
}

func logged(number, at int64, e Entry) Logged {
	l := Logged{Leaf: number, What: e.What, Old: e.Old}
	if at != 0 {
		l.Time = time.Unix(0, at).UTC()
	}
	if e.What == NewKey {
		l.Key = NameOf(e.Key)
	}
	if e.Erased != nil {
		l.Subject, l.Leaves = e.Erased.Subject, len(e.Erased.Leaves)+len(e.Erased.Rows)
	}
	return l
}

// String says it in one line.
func (l Logged) String() string {
	text := fmt.Sprintf("leaf %d, ", l.Leaf)
	if !l.Time.IsZero() {
		text += l.Time.Format(time.RFC3339) + ": "
	}
	text += l.What
	switch {
	case l.What == NewKey:
		return text + ": from here on signed by " + l.Key
	case l.Old != nil:
		return text + ": took evidence from before " + l.Old.Evidence.Format(time.RFC3339) + " and records from before " + l.Old.Records.Format(time.RFC3339)
	case l.Subject != "":
		return text + fmt.Sprintf(": took %d leaves that spoke of the subject with hash %s", l.Leaves, l.Subject)
	}
	return text
}
