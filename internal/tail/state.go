package tail

import (
	"container/heap"
	"container/list"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// Settings are fixed for the life of a State.
type Settings struct {
	Policy       Policy
	DecisionWait time.Duration // after the last span or record of a run
	MaxWait      time.Duration // after its first span, for runs that never rest or have no spans
	MemoryBytes  int64         // of pending runs and parcels together
	Remember     int           // keys of decided runs that are remembered
	DryRun       bool          // send everything, stamped with what would have become of it
	RetryMin     time.Duration // first wait after the next component could not take a parcel
	RetryMax     time.Duration // longest such wait; it doubles in between
	Parallel     int           // hands: jobs and parcels of any size that are out at one time; 0 is one
	Handful      int           // how many times as many may be out while they are small; 0 is one
	Arena        *slab.Arena   // where pieces are; nil for one of its own
	DiskBytes    int64         // of live pieces in the log, whatever is in memory; 0 without a log
	RestInMemory time.Duration // after the last span; then pieces are only in the log
	Limbo        bool          // what is dropped is stowed
	LoadBytes    int64         // of a run, which is decoded as one; above it is decided at once. 0 for any
}

// State is all pending runs, what is on its way, and what was decided. It is not
// safe for concurrent use; its Arena is.
//
// Invariants: a key is in runs exactly while its run has pieces or jobs out; a run
// with pieces is in due and in one of young and alarmed; bytes is the sum over
// runs, jobs and parcels, and leaving that over the ones that are out.
type State struct {
	Settings

	runs    map[Key]*pending
	due     deadlines
	young   *list.List // runs not known to be protected, oldest first
	alarmed *list.List // runs that were protected when last looked at

	warm     *list.List // runs with pieces in memory that are also in the log, the one at rest for longest first
	outbox   []*Parcel  // decided, not taken yet by the next component
	warmOut  []*Parcel  // put into outbox with pieces in memory that are also in the log, oldest first
	shelf    []*Job     // dropped, not stowed yet
	arrived  uint64     // runs ever opened
	judging  int        // jobs that are out
	inFlight int        // parcels that are out
	bytes    int64      // in memory
	disk     int64      // live in the log
	leaving  int64      // of that which is short: disk with a log, else memory
	reserved int64
	stowing  map[*Job]bool // jobs of the shelf that are out
	shelved  int64         // in the log, of the shelf
	stowNext bool          // when hands are free, before a parcel
	credit   int           // what came back, for which more may be decided early
	out      map[any]bool  // jobs and parcels that are being judged and sent
	draining bool
	retryAt  time.Time     // no parcel is sent before
	backoff  time.Duration // 0 while the next component takes parcels

	decided *decided
}

// pending is a run that is not decided, or of which pieces came while others are
// being judged.
type pending struct {
	tenant      string
	keys        []Key
	seq         uint64 // order of arrival
	pieces      []held
	digest      Digest
	spans       int   // 0 while only records are here
	bytes       int64 // pieces and what the run costs beside them
	data        int64 // in pieces, wherever they are
	first, last time.Time
	spanned     time.Time // when the first span arrived
	prior       *Decision // of spans that were decided before
	deadline    time.Time
	heapIndex   int
	home        *list.List // young or alarmed; nil while it has no pieces
	place       *list.Element
	jobs        int // that are out
	warm        *list.Element
	into        *pending // the run that this one was joined to
}

// held is the place of a piece.
type held struct {
	block   slab.Block // none if it is only in the log
	n       uint32     // bytes
	id      uint64
	spans   int32
	records int32
}

// What a run costs in memory beside its pieces, as measured: the run with its
// place in two orders; a key in the run and in the map; a piece's place.
const (
	runOverhead   = 400
	keyOverhead   = 72
	pieceOverhead = 32
)

// NewState returns an empty state.
func NewState(set Settings) *State {
	if set.Arena == nil {
		set.Arena = slab.New()
	}
	set.Parallel, set.Handful = max(set.Parallel, 1), max(set.Handful, 1)
	return &State{
		Settings: set,
		runs:     map[Key]*pending{},
		out:      map[any]bool{},
		stowing:  map[*Job]bool{},
		young:    list.New(),
		alarmed:  list.New(),
		warm:     list.New(),
		decided:  newDecided(set.Remember),
	}
}

// Bytes is the memory of pending runs, jobs and parcels.
func (s *State) Bytes() int64 { return s.bytes }

// Runs is the number of runs that are not decided.
func (s *State) Runs() int { return len(s.due) + s.judging }

// Idle reports whether nothing is pending, on its way in or on its way out.
func (s *State) Idle() bool {
	return len(s.due) == 0 && len(s.outbox) == 0 && len(s.shelf) == 0 && s.busy() == 0 && s.reserved == 0
}

// Busy is the number of jobs and parcels that are out.
func (s *State) Busy() int { return s.busy() }

// Reserved is the room given to batches that have not come yet.
func (s *State) Reserved() int64 { return s.reserved }

func (s *State) busy() int { return s.judging + s.inFlight + len(s.stowing) }

// RetryAt is when the next component is tried again after it refused a parcel.
func (s *State) RetryAt() time.Time { return s.retryAt }

// touch sets when a run is due: at rest, at the latest after the longest wait.
// Records wait that long for spans, which come when what they tell of has ended;
// but not if spans of the run were decided before. What came while a job of the run is
// out waits for what becomes of that.
func (s *State) touch(r *pending) {
	r.deadline = r.last.Add(s.DecisionWait)
	if r.jobs > 0 {
		r.deadline = never
	} else if r.spans == 0 && r.prior == nil {
		r.deadline = r.longest(s.MaxWait)
	} else if latest := r.longest(s.MaxWait); latest.Before(r.deadline) {
		r.deadline = latest
	}
	if s.tooLarge(r) && r.jobs == 0 {
		r.deadline = r.last
	}
	heap.Fix(&s.due, r.heapIndex)
}

// never comes after every deadline.
var never = time.Unix(1<<40, 0)

// tooLarge reports whether a run would take too much memory if it grew on. What comes
// later is late.
func (s *State) tooLarge(r *pending) bool { return s.LoadBytes > 0 && r.data > s.LoadBytes }

// longest is when a run is due that never rests.
func (r *pending) longest(wait time.Duration) time.Time {
	if r.spans == 0 {
		return r.first.Add(wait)
	}
	return r.spanned.Add(wait)
}

// queued reports whether the run waits, with pieces, for its decision.
func (r *pending) queued() bool { return r.home != nil }

// root is the run that this one has become part of.
func (r *pending) root() *pending {
	for r.into != nil {
		r = r.into
	}
	return r
}

// deadlines is a heap of runs, the one that is due first at the top.
type deadlines []*pending

func (d deadlines) Len() int { return len(d) }
func (d deadlines) Less(i, j int) bool {
	if c := d[i].deadline.Compare(d[j].deadline); c != 0 {
		return c < 0
	}
	return d[i].seq < d[j].seq
}
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].heapIndex, d[j].heapIndex = i, j
}
func (d *deadlines) Push(x any) {
	r := x.(*pending)
	r.heapIndex = len(*d)
	*d = append(*d, r)
}
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	r := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return r
}
