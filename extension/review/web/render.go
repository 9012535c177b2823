package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed ui
var files embed.FS

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
