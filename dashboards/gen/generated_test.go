//lint:file-ignore SA1019 the SDK calls the classic model old; it is what Grafana reads from files

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/alerting"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/dashboardv2"
	"github.com/grafana/grafana-foundation-sdk/go/resource"
	"gopkg.in/yaml.v3"
)

func made(t *testing.T) map[string][]byte {
	t.Helper()
	plugins.RegisterDefaultPlugins()
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What is committed is what the command writes, no file less and none more.
func TestCommittedFilesAreGenerated(t *testing.T) {
	files := made(t)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run make generate (%v)", name, err)
		}
	}
	for _, folder := range []string{"classic", "v2"} {
		there, err := filepath.Glob(filepath.Join("..", folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range there {
			if name := folder + "/" + filepath.Base(path); files[name] == nil {
				t.Errorf("%s is written by nobody", name)
			}
		}
	}
}

// told is an error that says something: the SDK returns empty lists of errors.
func told(err error) error {
	if list, ok := err.(cog.BuildErrors); ok && len(list) == 0 {
		return nil
	}
	return err
}

func checkOptions(read func([]byte) (any, error), raw []byte) error {
	_, err := read(raw)
	return told(err)
}

// strict reads JSON into v and writes it again. What v does not know is refused,
// by v itself or because it is not written again; the SDK's strict reading alone
// drops what is in a union.
func strict[T any, P interface {
	*T
	UnmarshalJSONStrict([]byte) error
	Validate() error
}](raw []byte, v P) ([]byte, error) {
	if err := told(P(new(T)).UnmarshalJSONStrict(raw)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, err
	}
	if err := told(v.Validate()); err != nil {
		return nil, err
	}
	again, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var x, y any
	if err := errors.Join(json.Unmarshal(raw, &x), json.Unmarshal(again, &y)); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(x, y) {
		return nil, errors.New("it is another one after reading")
	}
	return again, nil
}

// readV2 reads a resource and the dashboard in it.
func readV2(raw []byte) error {
	var m resource.Manifest
	if _, err := strict(raw, &m); err != nil {
		return err
	}
	spec, err := json.Marshal(m.Spec)
	if err != nil {
		return err
	}
	var d dashboardv2.Dashboard
	if _, err := strict(spec, &d); err != nil {
		return err
	}
	for _, e := range d.Elements {
		if e.PanelKind == nil {
			return errors.New("an element is no panel")
		}
		viz := e.PanelKind.Spec.VizConfig
		config, ok := cog.NewRuntime().ConfigForPanelcfgVariant(viz.Group)
		if !ok {
			return fmt.Errorf("%s is no panel plugin", viz.Group)
		}
		options, err := json.Marshal(viz.Spec.Options)
		if err != nil {
			return err
		}
		if err := checkOptions(config.StrictOptionsUnmarshaler, options); err != nil {
			return err
		}
	}
	return nil
}

func readClassic(raw []byte) error {
	_, err := strict(raw, new(dashboard.Dashboard))
	return err
}

// Grafana's types read every file strictly, and write it again as it was; a slip
// in a name of a field is found.
func TestStrictRoundTrip(t *testing.T) {
	for name, raw := range made(t) {
		read := readClassic
		switch {
		case strings.HasPrefix(name, "v2/"):
			read = readV2
		case !strings.HasPrefix(name, "classic/"):
			continue
		}
		if err := read(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, field := range []string{`"fieldConfig"`, `"variable`, `"graphMode"`, `"title"`} {
			wrong := bytes.ReplaceAll(raw, []byte(field), []byte(field[:2]+"x"+field[2:]))
			if bytes.Equal(wrong, raw) {
				continue
			}
			if err := read(wrong); err == nil {
				t.Errorf("%s: a slip in %s is not found", name, field)
			}
		}
	}
}

// The rules are read strictly too, once what a file has in its group is back.
func TestRulesRoundTrip(t *testing.T) {
	var file struct {
		APIVersion int `yaml:"apiVersion"`
		Groups     []struct {
			OrgID                  int `yaml:"orgId"`
			Name, Folder, Interval string
			Rules                  []map[string]any
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(made(t)[rulesFile]))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) != len(alerts()) {
		t.Fatalf("%d groups", len(file.Groups))
	}
	for _, r := range file.Groups[0].Rules {
		r["folderUID"], r["orgID"], r["ruleGroup"] = file.Groups[0].Folder, file.Groups[0].OrgID, file.Groups[0].Name
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := strict(raw, new(alerting.Rule)); err != nil {
			t.Errorf("%v: %v", r["uid"], err)
		}
		r["conditoin"] = r["condition"]
		if raw, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if _, err := strict(raw, new(alerting.Rule)); err == nil {
			t.Errorf("%v: a field that is none is not found", r["uid"])
		}
	}
}

// Ids are their own, each query is asked somewhere, and each part is used.
func TestNothingTwiceNothingLeft(t *testing.T) {
	used := map[string]int{}
	uids := map[string]bool{}
	for _, b := range boards() {
		if uids[b.uid] {
			t.Errorf("two of %s", b.uid)
		}
		uids[b.uid] = true
		for _, r := range b.rows {
			titles := []string{}
			for _, p := range r.panels {
				if slices.Contains(titles, p.title) {
					t.Errorf("%s: two panels %q in a row", b.uid, p.title)
				}
				titles = append(titles, p.title)
				if (p.sql == "") == (len(p.series) == 0) {
					t.Errorf("%s: %q asks nothing, or two things", b.uid, p.title)
				}
				if (p.sql != "") != b.sql {
					t.Errorf("%s: %q asks a data source that the dashboard has no variable for", b.uid, p.title)
				}
				used[p.sql]++
			}
		}
	}
	for _, a := range alerts() {
		used[a.sql]++
		if !uids[a.board] || uids[a.uid] {
			t.Errorf("%s: dashboard %s", a.uid, a.board)
		}
		uids[a.uid] = true
	}
	files, err := filepath.Glob("sql/*/*.sql")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d queries, %v", len(files), err)
	}
	all := ""
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(f), "sql/"), ".sql")
		if part, ok := strings.CutPrefix(name, "parts/"); ok {
			if !strings.Contains(all, `{{template "`+part+`"}}`) {
				t.Errorf("%s is used nowhere", f)
			}
		} else if used[name] != 1 {
			t.Errorf("%s is asked %d times", f, used[name])
		}
	}
}
