package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// declared is what a metadata.yaml says of a metric.
type declared struct {
	labels []string            // nil if it is somebody else's
	values map[string][]string // of labels with a closed list
}

type metadata struct {
	Attributes map[string]struct{ Enum []string }
	Telemetry  struct {
		Metrics map[string]struct {
			Attributes []string
			Prefix     string
			Histogram  any
		}
	}
}

// modules hold the metrics that the collector itself declares.
var modules = []string{
	"go.opentelemetry.io/collector/exporter/exporterhelper", "go.opentelemetry.io/collector/receiver/receiverhelper", "go.opentelemetry.io/collector/service",
}

func readMetadata(t *testing.T, path string, ours bool, out map[string]declared) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	if err := yaml.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for name, metric := range m.Telemetry.Metrics {
		var d declared
		if ours {
			d = declared{slices.Clone(metric.Attributes), map[string][]string{}}
			for _, a := range metric.Attributes {
				d.values[a] = m.Attributes[a].Enum
			}
			d.labels = append(d.labels, "instance", "job")
		}
		// A histogram is three series of one name.
		names := []string{name}
		if metric.Histogram != nil {
			names = []string{name + "_bucket", name + "_sum", name + "_count"}
			d.labels = append(d.labels, "le")
		}
		for _, n := range names {
			out[own+n] = d
		}
	}
}

func known(t *testing.T) map[string]declared {
	t.Helper()
	out := map[string]declared{}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"connector", "exporter", "extension", "processor", "receiver"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "metadata.yaml" {
				readMetadata(t, path, true, out)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, module := range modules {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
		cmd.Dir = root
		dir, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", module, err)
		}
		readMetadata(t, filepath.Join(strings.TrimSpace(string(dir)), "metadata.yaml"), false, out)
	}
	return out
}

var (
	nameOfMetric = regexp.MustCompile(own + `\w+`)
	selector     = regexp.MustCompile(`(` + own + `\w+)\{(\w+)(?:=~|!=|=)"([^"]*)"\}`)
	grouping     = regexp.MustCompile(`sum by \(([\w, ]+)\) \((?:rate\()?(` + own + `\w+)`)
)

// Every metric that a panel or a rule names is declared by a component, with the
// labels and the values that it is asked for.
func TestMetricsExist(t *testing.T) {
	known := known(t)
	exprs := map[string]string{}
	for _, b := range boards() {
		for _, r := range b.rows {
			for _, p := range r.panels {
				for _, s := range p.series {
					exprs[b.uid+": "+p.title+": "+s.expr] = s.expr
				}
			}
		}
	}
	for _, a := range alerts() {
		if a.expr != "" {
			exprs[a.uid] = a.expr
		}
	}
	if len(exprs) < 30 {
		t.Fatalf("%d expressions", len(exprs))
	}
	for who, expr := range exprs {
		for _, problem := range wrongIn(expr, known) {
			t.Errorf("%s: %s", who, problem)
		}
	}
	for _, wrong := range []string{
		rate("kind", "exporter_evidencestore_rows_writen"), rate("reason", "exporter_evidencestore_rows_written"), level("instance", "exporter_evidencestore_write_duration"),
		lately(`processor_tailpolicy_sends_failed{outcome="forever"}`, "5m"), "sum(1)",
	} {
		if len(wrongIn(wrong, known)) == 0 {
			t.Errorf("nothing is found in %s", wrong)
		}
	}
}

func wrongIn(expr string, known map[string]declared) (out []string) {
	names := nameOfMetric.FindAllString(expr, -1)
	if len(names) == 0 {
		out = append(out, "it names no metric")
	}
	for _, name := range names {
		if _, ok := known[name]; !ok {
			out = append(out, name+" is declared nowhere")
		}
	}
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		if d := known[m[1]]; d.labels != nil && !slices.Contains(d.values[m[2]], m[3]) {
			out = append(out, m[1]+" has no "+m[2]+" "+m[3])
		}
	}
	for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.Split(m[1], ", ") {
			if d := known[m[2]]; d.labels != nil && !slices.Contains(d.labels, label) {
				out = append(out, m[2]+" has no label "+label)
			}
		}
	}
	return out
}
