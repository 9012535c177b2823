package ledger

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func leafOf(n int) Leaf {
	l := Leaf{Kind: Span, Age: int64(n) * 1e9, Instead: None}
	binary.BigEndian.PutUint64(l.ID[:], uint64(n))
	binary.BigEndian.PutUint64(l.Content[:], uint64(n))
	return l
}

// The tree is the one of RFC 6962, at every size, also when it is taken up again.
func TestTreeIsTheStandardOne(t *testing.T) {
	var stored []Hash
	read := tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		out := make([]Hash, len(indexes))
		for i, x := range indexes {
			out[i] = stored[x]
		}
		return out, nil
	})
	tree := &Tree{}
	for n := range 300 {
		want, err := tlog.TreeHash(int64(n), read)
		require.NoError(t, err)
		require.Equal(t, want, tree.Root(), "%d leaves", n)
		again, err := NewTree(tree.Size, tree.Peaks())
		require.NoError(t, err)
		require.Equal(t, want, again.Root())
		tree = again

		l := leafOf(n)
		data := l.Append(nil)
		hashes, err := tlog.StoredHashes(int64(n), data, read)
		require.NoError(t, err)
		stored = append(stored, hashes...)
		tree.Add(data)
	}
	_, err := NewTree(3, make([]byte, 32))
	require.ErrorIs(t, err, ErrMalformed)
}

func TestLeavesComeBack(t *testing.T) {
	all := []Leaf{leafOf(1), leafOf(-1), {Kind: Record, ID: ID{1}, Arrival: true, Instead: 1 << 40, Content: Digest{1}, Facts: Digest{2}}, {Kind: Note, Instead: 0}, {Kind: Refused, Instead: None}}
	var b []byte
	for i := range all {
		b = all[i].Append(b)
	}
	whole := b
	for i := range all {
		l, rest, err := ReadLeaf(b)
		require.NoError(t, err)
		require.Equal(t, all[i], l)
		b = rest
	}
	require.Empty(t, b)
	one := all[2].Append(nil)
	for n := range one {
		_, _, err := ReadLeaf(one[:n])
		require.ErrorIs(t, err, ErrMalformed, "%d of %d bytes", n, len(one))
	}
	_, _, err := ReadLeaf(append([]byte{0x0f}, whole...))
	require.ErrorIs(t, err, ErrMalformed)
	require.LessOrEqual(t, len(one), 140)
}

// FuzzReadLeaf reads any bytes: what is a leaf comes back as the same bytes.
func FuzzReadLeaf(f *testing.F) {
	l := leafOf(3)
	f.Add(l.Append(nil))
	f.Add((&Leaf{Kind: Record, Facts: Digest{1}, Arrival: true, Instead: 9}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, rest, err := ReadLeaf(b)
		if err != nil {
			return
		}
		again, rest2, err := ReadLeaf(l.Append(nil))
		if err != nil || again != l && l.Facts != (Digest{}) || len(rest2) != 0 || len(rest) >= len(b) {
			t.Fatalf("%+v came back as %+v (%v)", l, again, err)
		}
	})
}

// A digest depends on all that a row says, and on nothing else.
func TestDigestsTellRowsApart(t *testing.T) {
	base := func() evidence.Span {
		return evidence.Span{
			Tenant: "t", ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{2}}, Name: "n", Status: "ok", Start: 5, End: 9,
			Attrs:    evidence.Attrs{"a": int64(1), "b": "x", "c": []any{"y"}},
			Resource: evidence.Attrs{"service.name": "s"},
			Links:    []evidence.Link{{To: evidence.StepID{Span: evidence.SpanID{3}}, Relation: "related"}},
			Events:   []evidence.SpanEvent{{Time: 6, Name: "e"}},
		}
	}
	var d Digester
	digest := func(change func(*evidence.Span)) Digest {
		s := base()
		change(&s)
		sum, err := d.Span(&s)
		require.NoError(t, err)
		return sum
	}
	want := digest(func(*evidence.Span) {})
	for i, c := range []func(*evidence.Span){
		func(s *evidence.Span) {}, func(s *evidence.Span) { s.Links[0].Relation = "" },
		func(s *evidence.Span) { s.Events[0].Attrs = evidence.Attrs{} },
	} {
		require.Equal(t, want, digest(c), "change %d says the same", i)
	}
	seen := map[Digest]int{want: -1}
	for i, c := range []func(*evidence.Span){
		func(s *evidence.Span) { s.Tenant = "" }, func(s *evidence.Span) { s.ID.Span[0]++ }, func(s *evidence.Span) { s.ID.Trace[0]++ },
		func(s *evidence.Span) { s.Parent[0] = 1 }, func(s *evidence.Span) { s.Name = "" }, func(s *evidence.Span) { s.Kind = "client" },
		func(s *evidence.Span) { s.Status = "error" }, func(s *evidence.Span) { s.StatusMessage = "m" }, func(s *evidence.Span) { s.TraceState = "m" },
		func(s *evidence.Span) { s.Start++ }, func(s *evidence.Span) { s.End++ }, func(s *evidence.Span) { s.Service = "m" },
		func(s *evidence.Span) { s.Scope = "m" }, func(s *evidence.Span) { s.ScopeVersion = "m" }, func(s *evidence.Span) { s.ServiceVersion = "m" },
		func(s *evidence.Span) { s.Attrs["a"] = 1.0 }, func(s *evidence.Span) { s.Attrs["a"] = "1" }, func(s *evidence.Span) { delete(s.Attrs, "a") },
		func(s *evidence.Span) { s.Attrs = nil }, func(s *evidence.Span) { s.Attrs["c"] = "y" }, func(s *evidence.Span) { s.Attrs["d"] = nil },
		func(s *evidence.Span) { s.Resource["service.name"] = "m" }, func(s *evidence.Span) { s.Links = nil },
		func(s *evidence.Span) { s.Links[0].To.Trace[3] = 1 }, func(s *evidence.Span) { s.Links[0].TraceState = "m" },
		func(s *evidence.Span) { s.Links[0].Attrs = evidence.Attrs{"": ""} }, func(s *evidence.Span) { s.Events = nil },
		func(s *evidence.Span) { s.Events[0].Time++ }, func(s *evidence.Span) { s.Events[0].Name = "" },
	} {
		sum := digest(c)
		before, twice := seen[sum]
		require.False(t, twice, "change %d and %d have one digest", i, before)
		seen[sum] = i
	}
}

func TestCheckpointsAreSignedNotes(t *testing.T) {
	key, err := LoadKey(filepath.Join(t.TempDir(), "k"), rand.Reader)
	require.NoError(t, err)
	keys, err := Verifiers([]string{key.Verifier, key.Verifier})
	require.NoError(t, err)
	point := Checkpoint{Origin: "o/1", Size: 7, Root: Hash{1}}
	text, err := point.Sign(key)
	require.NoError(t, err)
	got, err := OpenCheckpoint(text, keys)
	require.NoError(t, err)
	require.Equal(t, point, got)

	none, err := Verifiers(nil)
	require.NoError(t, err)
	got, err = OpenCheckpoint(text, none)
	require.ErrorIs(t, err, ErrUnsigned)
	require.Equal(t, point, got)
	forged := []byte("o/1\n8" + string(text[len("o/1\n7"):]))
	got, err = OpenCheckpoint(forged, keys)
	require.ErrorIs(t, err, ErrUnsigned)
	require.Equal(t, int64(8), got.Size)
	for _, bad := range []string{"", "hello", "a\nb\nc\n\n— x AAAA\n"} {
		_, err = OpenCheckpoint([]byte(bad), keys)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrUnsigned)
	}
}

func TestManyMakersOfOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "k")
	made := make([]Key, 8)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			var err error
			if made[i], err = LoadKey(path, rand.Reader); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range made {
		require.Equal(t, made[0].Verifier, k.Verifier)
	}
	private, err := LoadVerifier(path)
	require.NoError(t, err)
	public, err := LoadVerifier(PublicFile(path))
	require.NoError(t, err)
	require.Equal(t, private, public)
	require.NoError(t, os.WriteFile(path+"2", []byte("nothing"), 0o600))
	_, err = LoadVerifier(path + "2")
	require.ErrorContains(t, err, "neither")
}

func TestEntriesAreChecked(t *testing.T) {
	for _, bad := range []string{"", "{", `{"what":"retention"}`, `{"what":"erasure"}`} {
		_, err := ReadEntry(bad)
		require.Error(t, err, bad)
	}
	e := Entry{What: Erasure, Erased: &ErasedSet{Subject: SubjectHash("someone"), Leaves: []int64{1, 5}}}
	text, digest, err := e.Encode()
	require.NoError(t, err)
	require.Equal(t, EntryDigest(text), digest)
	require.NotContains(t, text, "someone")
	back, err := ReadEntry(text)
	require.NoError(t, err)
	require.Equal(t, e, back)
}

func BenchmarkDigestSpan(b *testing.B) {
	s := evidence.Span{Name: "chat", Attrs: evidence.Attrs{}, Resource: evidence.Attrs{"service.name": "s"}}
	for i := range 20 {
		s.Attrs[fmt.Sprintf("gen_ai.some.attribute.%d", i)] = fmt.Sprintf("value number %d", i)
	}
	var d Digester
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Span(&s); err != nil {
			b.Fatal(err)
		}
	}
}
