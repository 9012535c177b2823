package dashboards

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// question is a query of a panel or rule.
type question struct{ name, sql string }

// questions are those of all committed files.
func questions(t *testing.T) (out []question) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "dashboards", "classic", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Title  string
			Panels []struct {
				Title   string
				Targets []struct{ RawSQL string }
			}
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				if q.RawSQL != "" {
					out = append(out, question{d.Title + "/" + p.Title, q.RawSQL})
				}
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(root, "dashboards", "provisioning", "alerting", "otelcol-agent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				UID  string
				Data []struct {
					Model struct {
						RawSQL string `yaml:"rawSql"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(raw, &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			for _, d := range r.Data {
				if d.Model.RawSQL != "" {
					out = append(out, question{"rule/" + r.UID, d.Model.RawSQL})
				}
			}
		}
	}
	if len(out) < 40 {
		t.Fatalf("%d questions in %d dashboards", len(out), len(files))
	}
	return out
}

// The window around the incident of the example.
var (
	from = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	to   = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
)

// known are answers about the example, as a reviewer counts them: rows in order,
// columns joined by a bar.
var known = map[string]string{
	"AI agents: fleet overview/Runs":                               "1|1",
	"AI agents: fleet overview/Denials":                            "1",
	"AI agents: fleet overview/Controls ignored or lost":           "1",
	"AI agents: fleet overview/Runs by claimed outcome":            "2026-11-30 09:00:00 +0000 UTC|completed|1",
	"AI agents: fleet overview/Tokens and cost by agent and model": "coder|example-large-2|example|1|4210|312||0\ndeployer|example-large-2|example|1|1890|95||0",
	"AI agents: protocol health/Crossings and failures":            "2|1",
	"AI agents: evaluation drift/Verdicts":                         "2|0|1",
	"AI agents: evidence completeness/Effects by how they ended":   "no receipt|1\nreceipt or verified|1",
	"AI agents: evidence completeness/Steps without a task id":     "11|0",
	"AI agents: evidence completeness/Rows set aside":              "0",
	"rule/otelcol-agent-unknown-effect":                            "1",
	"rule/otelcol-agent-bypass":                                    "1",
}

var mergeTree = regexp.MustCompile(`(?s)ReadFromMergeTree \(` + database + `\.(\w+)\)(.*?)(?:ReadFrom|$)`)

// timed are tables that grow with time; what is read of them has to be narrowed
// by it before it is read.
var timed = map[string]bool{"spans": true, "events": true, "links": true, "event_decisions": true, "event_effects": true, "controls": true, "verdicts": true, "claims": true,
	"protocols": true, "extensions": true}

func joined(rows [][]string) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.Join(r, "|"))
	}
	return strings.Join(out, "\n")
}

// Every question is answered over the example, rows that were sent twice count
// once, and parts of other times are not read.
func TestEveryQuestionIsAnswered(t *testing.T) {
	server := instance.Start(t)
	export(t, server, filepath.Join(root, "examples", "deploy-incident", "input"))
	c := connect(t, server)
	if _, rows, err := ask(t, c, "SELECT count() > uniqExact(trace_id, span_id) FROM spans"); err != nil || joined(rows) != "true" && joined(rows) != "1" {
		t.Fatalf("no span is there twice, so nothing is shown of that: %v, %v", rows, err)
	}
	seen := map[string]bool{}
	for _, q := range questions(t) {
		t.Run(q.name, func(t *testing.T) {
			sql, err := expand(q.sql, "", from, to)
			if err != nil {
				t.Fatal(err)
			}
			columns, rows, err := ask(t, c, sql)
			if err != nil {
				t.Fatalf("%v\n%s", err, sql)
			}
			if len(rows) == 0 {
				t.Errorf("no rows\n%s", sql)
			}
			if want, ok := known[q.name]; ok {
				seen[q.name] = true
				if got := joined(rows); got != want {
					t.Errorf("%v\n%s\nwant\n%s", columns, got, want)
				}
			}
			_, plan, err := ask(t, c, "EXPLAIN indexes = 1 "+sql)
			if err != nil {
				t.Fatal(err)
			}
			reads := mergeTree.FindAllStringSubmatch(joined(plan), -1)
			if len(reads) == 0 && !strings.Contains(joined(plan), "NullSource") {
				t.Errorf("the plan reads nothing:\n%s", joined(plan))
			}
			for _, r := range reads {
				if timed[r[1]] && !regexp.MustCompile(`Min-?Max\W+Keys:\W+(start_ns|time_ns)\W`).MatchString(r[2]) {
					t.Errorf("%s is read whole:\n%s", r[1], r[2])
				}
			}
		})
	}
	for name := range known {
		if !seen[name] {
			t.Errorf("%s is asked nowhere", name)
		}
	}
}

// A tenant sees its own, and a quotation mark in its name is no SQL.
func TestTenantNarrows(t *testing.T) {
	server := instance.Start(t)
	export(t, server, filepath.Join(root, "examples", "deploy-incident", "input"))
	c := connect(t, server)
	for _, q := range questions(t) {
		if !strings.Contains(q.sql, "${tenant:sqlstring}") {
			continue
		}
		sql, err := expand(q.sql, "o'brien", from, to)
		if err != nil {
			t.Fatal(err)
		}
		_, rows, err := ask(t, c, sql)
		if err != nil {
			t.Errorf("%s: %v", q.name, err)
		}
		for _, r := range rows {
			for _, v := range r {
				if strings.Contains(v, "t-deploy") {
					t.Errorf("%s: another tenant's run: %v", q.name, r)
				}
			}
		}
	}
}
