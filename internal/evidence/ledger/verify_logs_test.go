package ledger

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"
)

// tables is a store of several writers in memory.
type tables struct {
	rows   map[int]Body
	leaves map[string]map[int64]Chunk
	heads  map[string][]Head
}

func noTables() *tables {
	return &tables{rows: map[int]Body{}, leaves: map[string]map[int64]Chunk{}, heads: map[string][]Head{}}
}

func (s *tables) Origins(context.Context) ([]string, error) {
	all := map[string]bool{}
	for o := range s.leaves {
		all[o] = true
	}
	for o := range s.heads {
		all[o] = true
	}
	return slices.Collect(maps.Keys(all)), nil
}

func (s *tables) Heads(_ context.Context, origin string, after int64, yield func(Head, Chunk) error) error {
	for _, h := range s.heads[origin] {
		c, there := s.leaves[origin][h.Chunk]
		if !there {
			c.Number = None
		}
		if h.Size <= after {
			continue
		}
		if err := yield(h, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *tables) Announced(_ context.Context, yield func(string, Chunk) error) error {
	for origin, chunks := range s.leaves {
		for n, c := range chunks {
			if slices.ContainsFunc(s.heads[origin], func(h Head) bool { return h.Chunk == n }) {
				continue
			}
			if err := yield(origin, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *tables) Entries(_ context.Context, yield func(string) error) error {
	for _, chunks := range s.leaves {
		for _, c := range chunks {
			if c.Entry != "" {
				if err := yield(c.Entry); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *tables) Bodies(_ context.Context, yield func(Body) error) error {
	for _, n := range slices.Sorted(maps.Keys(s.rows)) {
		for range 1 + n%2 { // some twice, as an engine has them that merges later
			if err := yield(s.rows[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// aKey is a new key.
func aKey(t *testing.T) Key {
	t.Helper()
	skey, _, err := note.GenerateKey(rand.Reader, KeyName)
	require.NoError(t, err)
	key, err := parseKey(skey)
	require.NoError(t, err)
	return key
}

// recorder writes one log into tables.
type recorder struct {
	t      *testing.T
	s      *tables
	key    Key
	origin string
	tree   Tree
	next   int64
}

func begin(t *testing.T, s *tables, key Key, origin string, e Entry) *recorder {
	r := &recorder{t: t, s: s, key: key, origin: origin}
	s.leaves[origin] = map[int64]Chunk{}
	e.What, e.Origin = Begun, origin
	r.entry(e, 1)
	return r
}

func (r *recorder) entry(e Entry, at int64) {
	text, digest, err := e.Encode()
	require.NoError(r.t, err)
	leaf := Leaf{Kind: Note, Age: at, Instead: None, Content: digest}
	r.settle(r.announce(text, leaf))
}

func (r *recorder) announce(entry string, leaves ...Leaf) int64 {
	c := Chunk{Number: r.next, Entry: entry}
	r.next++
	for i := range leaves {
		c.Leaves = leaves[i].Append(c.Leaves)
	}
	var err error
	c.Note, err = Announce(r.origin, c.Number, c.Leaves, r.key)
	require.NoError(r.t, err)
	r.s.leaves[r.origin][c.Number] = c
	return c.Number
}

func (r *recorder) settle(chunk int64) {
	for run := r.s.leaves[r.origin][chunk].Leaves; len(run) > 0; {
		_, rest, err := ReadLeaf(run)
		require.NoError(r.t, err)
		r.tree.Add(run[:len(run)-len(rest)])
		run = rest
	}
	c := Checkpoint{Origin: r.origin, Size: r.tree.Size, Root: r.tree.Root()}
	text, err := c.Sign(r.key)
	require.NoError(r.t, err)
	r.s.heads[r.origin] = append(r.s.heads[r.origin], Head{Size: c.Size, Chunk: chunk, Made: 5, Note: text})
}

func (r *recorder) head() string { h := r.s.heads[r.origin]; return string(h[len(h)-1].Note) }

func numbered(n int) (Leaf, Body) {
	l := Leaf{Kind: Span, Age: int64(n) * 1000, Instead: None}
	binary.BigEndian.PutUint64(l.ID[:], uint64(n+1))
	binary.BigEndian.PutUint64(l.Content[:], uint64(n+1))
	return l, Body{Kind: l.Kind, ID: l.ID, Content: l.Content}
}

// record takes rows in as a batch does.
func (r *recorder) record(rows ...int) {
	var leaves []Leaf
	for _, n := range rows {
		l, _ := numbered(n)
		leaves = append(leaves, l)
	}
	chunk := r.announce("", leaves...)
	for _, n := range rows {
		_, r.s.rows[n] = numbered(n)
	}
	r.settle(chunk)
}

func looked(t *testing.T, s *tables, since string, keys ...Key) Report {
	t.Helper()
	var names []string
	for _, k := range keys {
		names = append(names, k.Verifier)
	}
	known, err := Verifiers(names)
	require.NoError(t, err)
	q := Question{Keys: known, Now: time.Unix(0, 0)}
	if since != "" {
		q.Since = []byte(since)
	}
	report, err := VerifyLogs(t.Context(), s, q)
	require.NoError(t, err)
	return report
}

// Whatever two writers were doing when everything stopped, nobody is accused, and
// what was acknowledged is proved.
func TestNoCrashAccusesAnybody(t *testing.T) {
	one, two := aKey(t), aKey(t)
	for seed := range uint64(12) {
		dice := mathrand.New(mathrand.NewPCG(seed, 1)) // #nosec G404 -- a test
		s := noTables()
		writers := []*recorder{begin(t, s, one, "a", Entry{}), begin(t, s, two, "b", Entry{}), begin(t, s, two, "c", Entry{})}
		type batch struct {
			w     *recorder
			rows  []int
			step  int
			chunk int64
		}
		var open []*batch
		acknowledged := map[int]bool{}
		for i := range 40 {
			if dice.IntN(2) == 0 { // several batches of one writer at once, of which some bring the same rows
				open = append(open, &batch{w: writers[dice.IntN(3)], rows: []int{dice.IntN(60), 100 + i}})
			}
			if len(open) == 0 {
				continue
			}
			at := dice.IntN(len(open))
			b := open[at]
			switch {
			case b.step == 0:
				a, _ := numbered(b.rows[0])
				c, _ := numbered(b.rows[1])
				b.chunk = b.w.announce("", a, c)
			case b.step <= 2:
				_, s.rows[b.rows[b.step-1]] = numbered(b.rows[b.step-1])
			default:
				b.w.settle(b.chunk)
				open = slices.Delete(open, at, at+1)
				acknowledged[b.rows[0]], acknowledged[b.rows[1]] = true, true
			}
			b.step++
			report := looked(t, s, "", one, two)
			require.True(t, report.OK(), "seed %d: %v", seed, report.Findings)
			require.Equal(t, int64(len(acknowledged)), report.Present)
			require.Equal(t, int64(len(s.rows)-len(acknowledged)), report.Unsettled)
			require.Zero(t, report.Unlogged)
		}
	}
}

func TestWhatIsDoneToLogsIsFound(t *testing.T) {
	one, two, stranger := aKey(t), aKey(t), aKey(t)
	const at = int64(time.Hour)
	for name, c := range map[string]struct {
		does func(s *tables, a, b *recorder)
		want string // the first finding, "" for none
		says func(r Report) bool
	}{
		"nothing":                    {func(*tables, *recorder, *recorder) {}, "", func(r Report) bool { return r.Present == 6 && r.Leaves == 8 && r.Checkpoints == 4 }},
		"a row is changed":           {func(s *tables, _, _ *recorder) { b := s.rows[2]; b.Content[9]++; s.rows[2] = b }, "log a, span 0000000000000003", func(r Report) bool { return r.Findings[0].Problem == Changed && r.Unlogged == 0 && r.Problems == 1 }},
		"a row cannot be read":       {func(s *tables, _, _ *recorder) { b := s.rows[2]; b.Broken = true; s.rows[2] = b }, "changed", nil},
		"a row is removed":           {func(s *tables, _, _ *recorder) { delete(s.rows, 4) }, "log b, span 00000000000000050000000000000000/0000000000000000 (leaf 2): removed", nil},
		"a row is added":             {func(s *tables, _, _ *recorder) { _, s.rows[9] = numbered(9) }, "not_covered", func(r Report) bool { return r.Unlogged == 1 && r.Unsigned != "" }},
		"a leaf is changed":          {func(s *tables, _, _ *recorder) { s.leaves["a"][1].Leaves[60]++ }, "log a, leaves 1 to 3: log_changed", nil},
		"a chunk is removed":         {func(s *tables, _, _ *recorder) { delete(s.leaves["a"], 1) }, "log a, leaves 1 to 3: log_short", nil},
		"the last head is removed":   {func(s *tables, _, _ *recorder) { s.heads["b"] = s.heads["b"][:1] }, "", func(r Report) bool { return r.Announced == 3 && r.Unsettled == 3 && r.Present == 3 }},
		"a head in the middle":       {func(s *tables, _, b *recorder) { b.record(7); s.heads["b"] = slices.Delete(s.heads["b"], 1, 2) }, "log_changed", nil},
		"a head is signed by nobody": {func(s *tables, _, _ *recorder) { s.heads["a"][1].Note[3]++ }, "bad_checkpoint", nil},
		"a head says another size":   {func(s *tables, _, _ *recorder) { s.heads["a"][1].Size++ }, "log_changed", nil},
		"an announcement as a head":  {func(s *tables, _, _ *recorder) { s.heads["a"][1].Note = s.leaves["a"][1].Note }, "bad_checkpoint", nil},
		"a log that another names":   {func(s *tables, _, _ *recorder) { delete(s.leaves, "a"); delete(s.heads, "a") }, "the whole log is gone", nil},
		"a log cut back below that":  {func(s *tables, _, _ *recorder) { s.heads["a"] = s.heads["a"][:1] }, "log a, leaves 1 to 3: log_short", nil},
		"a beginning without a text": {func(s *tables, _, _ *recorder) { c := s.leaves["a"][0]; c.Entry = ""; s.leaves["a"][0] = c }, "log entry (leaf 0): removed", nil},
		"a log of a stranger": {func(s *tables, _, _ *recorder) { begin(t, s, stranger, "z", Entry{Before: 99}).record(9) }, "bad_checkpoint",
			func(r Report) bool { return r.Unproven == 1 && r.Unlogged == 0 && len(r.Unknown) == 1 }},
		"a row of a stranger's log is gone": {func(s *tables, _, _ *recorder) { begin(t, s, stranger, "z", Entry{}).record(9); delete(s.rows, 9) }, "bad_checkpoint",
			func(r Report) bool { return r.Problems == 1 }},
		"an added row that a stranger announced": {func(s *tables, a, _ *recorder) {
			l, b := numbered(9)
			s.rows[9] = b
			forger := &recorder{t: t, s: s, key: stranger, origin: a.origin, next: 50}
			forger.announce("", l)
		}, "not_covered", func(r Report) bool { return r.Announced == 0 }},
		"a retention of a stranger": {func(s *tables, _, _ *recorder) {
			begin(t, s, stranger, "z", Entry{}).entry(Entry{What: Retention, Old: &Retained{time.Unix(0, at), time.Unix(0, at)}}, 2)
			delete(s.rows, 1)
		}, "removed", nil},
		"retention": {func(s *tables, _, b *recorder) {
			b.entry(Entry{What: Retention, Old: &Retained{time.Unix(0, 2000), time.Unix(0, 0)}}, 2)
			delete(s.rows, 1)
		}, "", func(r Report) bool { return r.Retained == 1 && len(r.Entries) == 1 && r.Entries[0].Log == "b" }},
		"retention of what is younger": {func(s *tables, _, b *recorder) {
			b.entry(Entry{What: Retention, Old: &Retained{time.Unix(0, 1000), time.Unix(0, 0)}}, 2)
			delete(s.rows, 1)
		}, "removed", nil},
		"retention announced, not signed": {func(s *tables, _, b *recorder) {
			b.entry(Entry{What: Retention, Old: &Retained{time.Unix(0, 2000), time.Unix(0, 0)}}, 2)
			s.heads["b"] = s.heads["b"][:2]
			delete(s.rows, 1)
		}, "removed", nil},
		"an erasure": {func(s *tables, _, b *recorder) {
			b.entry(Entry{What: Erasure, Erased: &ErasedSet{Rows: []string{Name(Span, s.rows[1].ID)}, Until: map[string]int64{"a": 4}}}, 2)
			delete(s.rows, 1)
		}, "", func(r Report) bool { return r.Erased == 1 }},
		"an erasure from before the row": {func(s *tables, _, b *recorder) {
			b.entry(Entry{What: Erasure, Erased: &ErasedSet{Rows: []string{Name(Span, s.rows[1].ID)}, Until: map[string]int64{"a": 1}}}, 2)
			delete(s.rows, 1)
		}, "removed", nil},
		"rows from before": {func(s *tables, _, _ *recorder) {
			begin(t, s, one, "d", Entry{Before: 2}).record(8)
			_, s.rows[9] = numbered(9)
		}, "", func(r Report) bool { return r.Unlogged == 1 && r.Unsigned == Name(Span, ID{7: 10}) }},
		"a row in two logs":         {func(_ *tables, _, b *recorder) { b.record(1) }, "", func(r Report) bool { return r.Repeated == 1 && r.Present == 6 }},
		"a row in two logs is gone": {func(s *tables, _, b *recorder) { b.record(1); delete(s.rows, 1) }, "removed", func(r Report) bool { return r.Problems == 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			s := noTables()
			a := begin(t, s, one, "a", Entry{})
			a.record(1, 2, 3)
			b := begin(t, s, two, "b", Entry{After: []string{a.head()}})
			b.record(5, 4, 6)
			c.does(s, a, b)
			report := looked(t, s, "", one, two)
			if c.want == "" {
				require.True(t, report.OK(), "%v", report.Findings)
			} else {
				require.False(t, report.OK())
				require.Contains(t, report.Findings[0].String(), c.want)
			}
			if c.says != nil {
				require.True(t, c.says(report), "%+v", report)
			}
		})
	}
}

// What the engine deletes by itself is expired when it may be, and removed before.
func TestRetentionThatIsNotAnnounced(t *testing.T) {
	key := aKey(t)
	second := int64(time.Second)
	s := noTables()
	a := begin(t, s, key, "a", Entry{Kept: &Kept{Evidence: 1000, Records: math.MaxInt64}})
	a.record(1, 2)
	delete(s.rows, 1)
	known, err := Verifiers([]string{key.Verifier})
	require.NoError(t, err)
	at := func(now int64) Report {
		report, err := VerifyLogs(t.Context(), s, Question{Keys: known, Now: time.Unix(0, now)})
		require.NoError(t, err)
		return report
	}
	skew := int64(serverSkew)
	require.Equal(t, Removed, at(1000*second - skew).Findings[0].Problem)
	require.Equal(t, int64(1), at(1000*second-skew+1001).Retained)
	// What is kept longer from then on does not bring back what was gone by then.
	next := begin(t, s, key, "b", Entry{Kept: &Kept{Evidence: 5000}})
	require.Equal(t, Removed, at(1100 * second).Findings[0].Problem, "the shorter one was in force until the first nanosecond")
	s.leaves["b"], s.heads["b"] = map[int64]Chunk{}, nil
	next.tree, next.next = Tree{}, 0
	next.entry(Entry{What: Begun, Origin: "b", Kept: &Kept{Evidence: 5000}}, 1000*second)
	require.True(t, at(1100*second).OK())
	delete(s.rows, 2)
	require.Equal(t, int64(2), at(1100*second).Retained)
}

// A row whose own time cannot be true is as old as its first arrival, whichever
// of its leaves says so.
func TestArrivalsThatCameAgain(t *testing.T) {
	key := aKey(t)
	s := noTables()
	a := begin(t, s, key, "b", Entry{})
	early, _ := numbered(1)
	early.Arrival, early.Age = true, 100
	late := early
	late.Age = 300
	a.settle(a.announce("", early))
	again := begin(t, s, key, "a", Entry{})
	again.settle(again.announce("", late))
	require.Equal(t, int64(1), looked(t, s, "", key).Problems)
	again.entry(Entry{What: Retention, Old: &Retained{time.Unix(0, 200), time.Unix(0, 0)}}, 2)
	require.True(t, looked(t, s, "", key).OK())
}

func TestCheckpointsFromElsewhere(t *testing.T) {
	one, two := aKey(t), aKey(t)
	s := noTables()
	a := begin(t, s, one, "a", Entry{})
	b := begin(t, s, two, "b", Entry{})
	a.record(1, 2)
	b.record(3)
	saved := string(looked(t, s, "", one, two).Heads)
	require.Len(t, SplitNotes([]byte(saved)), 2)
	a.record(4)
	report := looked(t, s, saved, one, two)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(5), report.Since)
	require.Equal(t, int64(3), report.Logs[slices.IndexFunc(report.Logs, func(l LogReport) bool { return l.Origin == "a" })].Since)
	// The store alone cannot tell that the end of a log was cut off with its rows.
	s.heads["b"], s.leaves["b"] = s.heads["b"][:1], map[int64]Chunk{0: s.leaves["b"][0]}
	delete(s.rows, 3)
	require.True(t, looked(t, s, "", one, two).OK())
	report = looked(t, s, saved, one, two)
	require.Contains(t, report.Findings[0].String(), "log b, leaf 1: log_short")
	// Nor that the owner of the key wrote the log anew.
	s.heads["a"], s.leaves["a"] = nil, map[int64]Chunk{}
	anew := begin(t, s, one, "a", Entry{})
	anew.record(2, 1)
	anew.record(4)
	require.True(t, looked(t, s, "", one, two).OK())
	report = looked(t, s, saved, one, two)
	require.Contains(t, report.Findings[0].String(), "log a, leaves 0 to 2: log_changed")
	// Another store's checkpoint.
	other := noTables()
	x := begin(t, other, one, "x", Entry{})
	require.Contains(t, looked(t, s, x.head(), one, two).Findings[0].String(), "of another store")
	known, err := Verifiers([]string{two.Verifier})
	require.NoError(t, err)
	_, err = VerifyLogs(t.Context(), s, Question{Keys: known, Since: []byte(saved)})
	require.ErrorIs(t, err, ErrUnsigned)
	_, err = VerifyLogs(t.Context(), noTables(), Question{Keys: known})
	require.ErrorIs(t, err, ErrNoLog)
}

func TestNotesComeApart(t *testing.T) {
	key := aKey(t)
	var text []byte
	var want []string
	for i := range 4 {
		c := Checkpoint{Origin: fmt.Sprint("o", i), Size: int64(i)}
		note, err := c.Sign(key)
		require.NoError(t, err)
		want = append(want, string(note))
		if text = append(text, note...); i%2 == 0 {
			text = append(text, '\n')
		}
	}
	var got []string
	for _, n := range SplitNotes(text) {
		got = append(got, string(n))
	}
	require.Equal(t, want, got)
	require.Empty(t, SplitNotes([]byte("\n \n")))
	require.Equal(t, [][]byte{[]byte("hello")}, SplitNotes([]byte("hello")))
}
