package web

import (
	"bytes"
	_ "embed"
	"net/http"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// api answers with JSON.
func (h *Handler) api(f func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r, cancel := bounded(r)
		defer cancel()
		v, err := f(r)
		if err != nil {
			h.refuse(w, r, err)
			return
		}
		var b bytes.Buffer
		if err := listing.WriteJSON(&b, v); err != nil {
			h.refuse(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(b.Bytes())
	}
}

//go:embed openapi.yaml
var openAPI []byte

// openAPI serves the description of the API.
func (h *Handler) openAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(openAPI)
}
