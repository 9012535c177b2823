package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// look is one request about a run, which find fills.
type look struct {
	version evidence.Version // "" while it is not known
	has     func(evidence.Version) bool
	known   bool
}

type lookKey struct{}

// errKnown says that the answer needs no rows.
var errKnown = errors.New("the run is known")

// refuse answers with what an error is to a reader.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, errKnown) { // else there is an answer
		h.fail(w, r, asProblem(err))
	}
}

// ofRun remembers what serve answers about a run. A client who names its answer by
// the ETag gets 304 while nothing has changed.
func (h *Handler) ofRun(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address := r.URL.RequestURI()
		before, named := h.answers.get(address), r.Header.Get("If-None-Match")
		l := &look{has: func(v evidence.Version) bool {
			return v != "" && (before != nil && before.version == v || named != "" && named == h.tag(v))
		}}
		made := record(serve, w, r.WithContext(context.WithValue(r.Context(), lookKey{}, l)))
		tag := h.tag(l.version)
		if l.known {
			made = before
		} else if made.version = l.version; l.version != "" {
			if made.status == http.StatusOK {
				made.head.Set("ETag", tag)
			}
			h.answers.put(address, made)
		}
		if l.version != "" && named == tag && (made == nil || made.status == http.StatusOK) {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		made.send(w)
	}
}

// tag names a version of a run as this program shows it.
func (h *Handler) tag(v evidence.Version) string {
	sum := sha256.Sum256([]byte(h.set.Version + "\x00" + string(v)))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// brief remembers what serve answers for a moment, and has those who ask the same at
// the same time wait for one answer.
func (h *Handler) brief(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address := r.URL.RequestURI()
		if a := h.answers.listed(r.Context(), address); a != nil {
			a.send(w)
			return
		}
		defer h.answers.finish(address)
		a := record(serve, w, r)
		a.made = time.Now()
		h.answers.put(address, a)
		a.send(w)
	}
}
