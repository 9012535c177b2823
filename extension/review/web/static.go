package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// asset is a file that pages load.
type asset struct {
	body []byte
	kind string
	sum  string // beginning of its SHA-256
}

var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func assets() (map[string]asset, error) {
	out := map[string]asset{}
	for ext, kind := range assetKinds {
		names, err := fs.Glob(files, "ui/*"+ext)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			b, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(b)
			out[path.Base(name)] = asset{b, kind, hex.EncodeToString(sum[:6])}
		}
	}
	return out, nil
}

// serveStatic serves what pages load; its address changes with its content.
func (h *Handler) serveStatic(w http.ResponseWriter, r *http.Request) {
	a, ok := h.static[r.PathValue("name")]
	if !ok {
		h.fail(w, r, problem{http.StatusNotFound, "not found", "no such file"})
		return
	}
	h.writeAsset(w, a)
}

func (h *Handler) writeAsset(w http.ResponseWriter, a asset) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = w.Write(a.body)
}
