package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

//go:embed ui
var files embed.FS

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

// pages are the templates, one set a page.
type pages struct {
	sets map[string]*template.Template
}

// view is what every template gets.
type view struct {
	Title   string
	Nav     string // which part of the navigation is here
	Query   string // what the search box has
	Refresh bool   // the page is read again now and then
	Data    any
}

func parsePages(static map[string]asset) (*pages, error) {
	base, err := template.New("base").Funcs(functions(static)).ParseFS(files, "ui/base.html", "ui/parts_*.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "ui/page_*.html")
	if err != nil {
		return nil, err
	}
	p := &pages{sets: map[string]*template.Template{}}
	for _, name := range names {
		set, err := template.Must(base.Clone()).ParseFS(files, name)
		if err != nil {
			return nil, err
		}
		p.sets[strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "page_"), ".html")] = set
	}
	return p, nil
}

func functions(static map[string]asset) template.FuncMap {
	return template.FuncMap{
		"asset":    func(name string) string { return "/static/" + name + "?v=" + static[name].sum },
		"spaced":   func(s string) string { return strings.ReplaceAll(s, "_", " ") },
		"capital":  func(s string) string { return strings.ToUpper(s[:min(len(s), 1)]) + s[min(len(s), 1):] },
		"task":     review.TaskPlace,
		"trace":    review.TracePlace,
		"step":     review.StepPlace,
		"session":  review.SessionPlace,
		"graph":    review.GraphPlace,
		"report":   review.ReportPlace,
		"number":   func(n any) string { return review.Number(whole(n)) },
		"length":   func(ns int64) string { return evidence.Length(ns) },
		"question": evidence.QuestionText,
		"state":    stateOf,
		"short": func(s string) string {
			if len(s) > 8 {
				return s[:8]
			}
			return s
		},
		"join":    func(list []string) string { return strings.Join(list, ", ") },
		"pc":      func(f float64) string { return strconv.FormatFloat(f/10, 'f', 2, 64) + "%" },
		"percent": func(f float64) string { return fmt.Sprintf("%.0f%%", 100*f) },
		"add":     func(a, b int) int { return a + b },
		"mul":     func(a, b int) int { return a * b },
		"plural": func(n int, noun string) string {
			if n == 1 {
				return "1 " + noun
			}
			if strings.HasSuffix(noun, "y") {
				noun = strings.TrimSuffix(noun, "y") + "ie"
			}
			return review.Number(int64(n)) + " " + noun + "s"
		},
		"cut":    listing.Cut,
		"sum":    func(a, b float64) float64 { return a + b },
		"mean":   func(f *float64) string { return strconv.FormatFloat(*f, 'g', 3, 64) },
		"points": func(f *float64) float64 { return 100 * *f },
		"bytes":  sizeOf,
		"figure": func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) },
		"dict":   dict,
	}
}

func whole(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	}
	return 0
}

// sizeOf writes bytes for a reader.
func sizeOf(n int64) string {
	f := float64(n)
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if f < 1024 {
			return strconv.FormatFloat(f, 'f', min(1, len(unit)-1), 64) + " " + unit
		}
		f /= 1024
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " GiB"
}

// dict hands several values to a part.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: name %d is not text", i/2)
		}
		out[key] = pairs[i+1]
	}
	return out, nil
}

// write renders a page whole before a byte of it is sent.
func (p *pages) write(w http.ResponseWriter, status int, name string, v view) {
	var b bytes.Buffer
	if err := p.sets[name].ExecuteTemplate(&b, "base.html", v); err != nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "page %s: %v\n", name, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(short(inert(b.Bytes())))
}

// mostPiled is how many marks one letter may carry.
const mostPiled = 4

// inert replaces, in a page that is written, every rune that could act on a reader:
// controls, marks of writing direction, joiners, line separators, private use. The
// templates have none, so each is somebody's text. Of marks that stand above or below
// a letter no more than a script needs are left: a pile of them covers other lines.
func inert(page []byte) []byte {
	clean := true
	for _, c := range page {
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' || c == 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return page
	}
	piled := 0
	return bytes.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.In(r, unicode.Mn, unicode.Me) {
			if piled++; piled > mostPiled {
				return -1
			}
			return r
		}
		piled = 0
		switch {
		case r == '\n', r >= ' ' && r < 0x7f:
			return r
		case r == '\t', r == '\r':
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			return utf8.RuneError
		}
		return r
	}, page)
}
