package mapping

// reason says why a value or a record was left as it was.
type reason uint8

const (
	leftDialect  reason = iota // the record is of no known dialect
	leftEvent                  // a known dialect, an event its file does not list
	leftType                   // a value that its target's type cannot hold
	leftClosed                 // a word that is not in the closed list of its app.* key
	leftConflict               // two sources of one target disagree
	leftJSON                   // JSON that is malformed or beyond the bounds
	leftUnit                   // a metric whose unit cannot be converted exactly
	leftSnapshot               // a key, metric, event or operation that the target snapshot has nothing for
	leftSpan                   // a key that the target snapshot does not put on a span of this operation and kind
	leftDropped                // a record that a rule drops
	reasons
)

var reasonNames = [reasons]string{"no_dialect", "unknown_event", "type", "closed_value", "conflict", "json", "unit", "not_in_snapshot", "not_on_span", "dropped"}

// Reasons is the closed list of Count.Name in Report.Left.
func Reasons() []string { return reasonNames[:] }

// Count is a number of records or values under a name of a closed list.
type Count struct {
	Name string
	N    int64
}

// Report says what one call did: records mapped by dialect, and what was left
// by reason.
type Report struct {
	Mapped []Count
	Left   []Count
}

type tally struct {
	mapped  []int64
	reasons [reasons]int64
}

func (y *tally) left(r reason) { y.reasons[r]++ }

func (t *Tables) report(y *tally) Report {
	var r Report
	for i, n := range y.mapped {
		if n > 0 {
			r.Mapped = append(r.Mapped, Count{t.dialects[i].name, n})
		}
	}
	for i, n := range y.reasons {
		if n > 0 {
			r.Left = append(r.Left, Count{reasonNames[i], n})
		}
	}
	return r
}
