package storetest

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// Signed is a Store whose log over its rows is signed.
type Signed interface {
	// Verifier returns the verifier key of the signer.
	Verifier(t *testing.T) string
}

// keepsLog reports whether the engine has a log over its rows; one that has must
// offer its key too.
func (s *subject) keepsLog(t *testing.T) bool {
	t.Helper()
	_, kept := s.reader.(ledger.Keeper)
	if _, signed := s.store.(Signed); kept && !signed {
		t.Fatal("a store that keeps a log must offer the signer's key to this suite")
	}
	return kept
}

// verify verifies the store, if it keeps a log, and fails the test if anything
// is wrong.
func (s *subject) verify(t *testing.T, since []byte) ledger.Report {
	t.Helper()
	if !s.keepsLog(t) {
		return ledger.Report{}
	}
	log, signed := s.reader.(ledger.Keeper), s.store.(Signed)
	keys, err := ledger.Verifiers([]string{signed.Verifier(t)})
	if err != nil {
		t.Fatal(err)
	}
	report, err := log.Verify(context.Background(), ledger.Question{Keys: keys, Since: since, Now: time.Unix(0, s.clock.Load())})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Errorf("verify: %s", f)
	}
	return report
}

// logged takes a store with everything through its life and verifies it after
// every step, against a checkpoint from the beginning.
func logged(t *testing.T, s *subject) {
	if !s.keepsLog(t) {
		t.Fatal("this engine keeps no log over its rows")
	}
	b := incident()
	b.Spans = append(b.Spans, span(1, 50, func(s *evidence.Span) { s.Attrs = everyValue() }), span(0, 0, func(s *evidence.Span) { s.ID = evidence.StepID{} }))
	good := len(b.Spans) + len(b.Records) - 1
	if _, err := s.writer.Write(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	report := s.verify(t, nil)
	if report.Present < int64(good)+1 {
		t.Errorf("%d rows are covered, want %d and one that was set aside", report.Present, good)
	}
	since, err := s.reader.(ledger.Keeper).Checkpoint(context.Background(), ledger.None)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, incident(), 0)
	if again := s.verify(t, since); again.Leaves != report.Leaves {
		t.Errorf("%d leaves after the batch came again, want %d", again.Leaves, report.Leaves)
	}
	grown := b.Spans[0]
	grown.End, grown.Status = grown.End+1, evidence.StatusError
	s.writeSpans(t, grown)
	if grew := s.verify(t, since); grew.Leaves != report.Leaves+1 {
		t.Errorf("%d leaves after a span grew, want one more than %d", grew.Leaves, report.Leaves)
	}
	s.close(t)
	s.open(t)
	s.writeSpans(t, span(70, 1))
	s.verify(t, since)
	s.prune(t, at(25), at(4))
	if pruned := s.verify(t, since); pruned.Retained == 0 {
		t.Error("retention is not logged")
	}
	s.write(t, incident(), -1) // what was deleted comes again
	s.verify(t, since)
	s.clock.Add(int64(time.Hour))
	s.prune(t, math.MaxInt64/2, math.MaxInt64/2)
	s.verify(t, since)
	if n := len(s.content(t)); n != 0 {
		t.Errorf("%d runs are left", n)
	}
}

// erases forgets one subject and nothing else.
func erases(t *testing.T, s *subject) {
	eraser, ok := s.writer.(evidence.Eraser)
	if !ok {
		t.Fatal("this engine does not erase")
	}
	const subject = "d9b2c0ffee00d9b2c0ff"
	in := span(1, 1, task("t"), attr("who", subject))
	nested := span(2, 1, tenant("a"), attr("x", []any{map[string]any{"k": "for " + subject}}))
	said := record(1, func(r *evidence.Record) { r.Step, r.Body = in.ID, subject })
	beside, other := span(1, 2, task("t")), span(3, 1, attr("who", strings.ToUpper(subject)))
	unsaid := record(2, func(r *evidence.Record) { r.Step = in.ID })
	s.write(t, evidence.Batch{Spans: []evidence.Span{in, nested, beside, other}, Records: []evidence.Record{said, unsaid}}, 6)
	ctx := context.Background()
	for _, dry := range []bool{true, false} {
		got, err := eraser.Erase(ctx, evidence.Erasure{Subject: subject, DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		if got.Spans != 2 || got.Records != 1 {
			t.Errorf("erased %+v, want two spans and a record", got)
		}
		if dry && len(s.content(t)) != 3 {
			t.Error("a dry run erased")
		}
	}
	equal(t, s.content(t), []evidence.Run{wanted("", []evidence.Span{other}), wanted("", []evidence.Span{beside}, unsaid)})
	s.gone(t, "a", traceID(2).String())
	if _, err := eraser.Erase(ctx, evidence.Erasure{Subject: "t"}); err == nil {
		t.Error("a subject of one letter was taken")
	}
	s.verify(t, nil)
	if got, err := eraser.Erase(ctx, evidence.Erasure{Subject: strings.ToUpper(subject), WholeRuns: true}); err != nil || got.Spans != 1 {
		t.Errorf("erased %+v of a run, %v, want its one span", got, err)
	}
	s.verify(t, nil)
}
