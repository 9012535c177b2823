package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
)

// pages are those that the review serves, with the parameters that its API of the
// same path takes.
var pages = sync.OnceValues(func() (map[string][]string, error) {
	folder := filepath.Join("..", "..", "extension", "review", "web")
	routes, err := os.ReadFile(filepath.Join(folder, "routes.go"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "openapi.yaml"))
	if err != nil {
		return nil, err
	}
	type parameter struct {
		Ref      string `yaml:"$ref"`
		Name, In string
	}
	var api struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
		Components struct{ Parameters map[string]parameter }
	}
	if err := yaml.Unmarshal(text, &api); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, m := range regexp.MustCompile(`\{"(/[a-z]+)", .* h\.\w+Page, h`).FindAllStringSubmatch(string(routes), -1) {
		out[m[1]] = []string{}
		for _, p := range api.Paths[m[1]].Get.Parameters {
			if p.Ref != "" {
				p = api.Components.Parameters[path.Base(p.Ref)]
			}
			out[m[1]] = append(out[m[1]], p.Name)
		}
	}
	return out, nil
})

func checkPage(t *testing.T, who, address string) {
	t.Helper()
	u, err := url.Parse(strings.NewReplacer("${__from:date:iso}", "2026-11-30T09:00:00Z").Replace(address))
	if err != nil {
		t.Errorf("%s: %v", who, err)
		return
	}
	all, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	known, ok := all[u.Path]
	if !ok {
		t.Errorf("%s leads to %s, which is no page", who, u.Path)
	}
	for key, values := range u.Query() {
		if !slices.Contains(known, key) || len(values) != 1 || values[0] == "" || strings.Contains(values[0], "$") {
			t.Errorf("%s: the page %s takes no %s=%s", who, u.Path, key, values)
		}
	}
}

// Every panel leads to the review, and so does every task in a table.
func TestEveryPanelLeadsToTheReview(t *testing.T) {
	for _, b := range boards() {
		for _, r := range b.rows {
			for _, p := range r.panels {
				checkPage(t, b.uid+": "+p.title, p.review)
			}
		}
	}
	for _, a := range alerts() {
		checkPage(t, a.uid, a.review)
	}
	type link struct{ URL string }
	for name, raw := range made(t) {
		if !strings.HasPrefix(name, "classic/") {
			continue
		}
		var d struct {
			Panels []struct {
				Type, Title string
				Links       []link
				Targets     []struct{ RawSQL string }
				FieldConfig struct {
					Overrides []struct {
						Matcher    struct{ Options string }
						Properties []struct {
							ID    string
							Value any
						}
					}
				}
			}
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Panels {
			if p.Type == "row" {
				continue
			}
			if len(p.Links) != 1 || !strings.HasPrefix(p.Links[0].URL, "${review}/") {
				t.Errorf("%s: %q has links %v", name, p.Title, p.Links)
			}
			if p.Type != "table" || len(p.Targets) != 1 || !strings.Contains(p.Targets[0].RawSQL, "AS "+taskColumn+",") && !strings.HasSuffix(p.Targets[0].RawSQL, "AS "+taskColumn) {
				continue
			}
			if !strings.Contains(p.Targets[0].RawSQL, "AS "+tenantColumn) {
				t.Errorf("%s: %q has tasks without their tenants", name, p.Title)
			}
			linked := false
			for _, o := range p.FieldConfig.Overrides {
				linked = linked || o.Matcher.Options == taskColumn && o.Properties[0].ID == "links"
			}
			if !linked {
				t.Errorf("%s: tasks of %q lead nowhere", name, p.Title)
			}
		}
	}
}
