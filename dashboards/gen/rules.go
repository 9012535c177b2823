package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/alerting"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/expr"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"gopkg.in/yaml.v3"
)

// Ids of the data sources in provisioning/datasources: rules have no variables.
const (
	storeUID   = "otelcol-agent-evidence"
	metricsUID = "otelcol-agent-metrics"
	folder     = "otelcol-agent"
)

// rule is the alert as Grafana's API has it.
func (a *alert) rule() (alerting.Rule, error) {
	uid := metricsUID
	var asked variants.Dataquery
	if a.sql != "" {
		sql, err := query(a.sql, "")
		if err != nil {
			return alerting.Rule{}, err
		}
		uid, asked = storeUID, target{"A", storeQuery(sql, list)}.from(storeUID, storePlugin)
	} else {
		yes, no, ref := true, false, "A"
		q := prometheus.NewDataquery()
		q.Expr, q.RefId, q.Instant, q.Range = a.expr, &ref, &yes, &no
		asked = target{"A", q}.from(metricsUID, metricsPlugin)
	}
	kind, self, ref := "__expr__", "__expr__", "C"
	above := expr.TypeThreshold{Type: "threshold", Expression: "A", RefId: &ref, Datasource: &common.DataSourceRef{Type: &kind, Uid: &self},
		Conditions: []expr.ExprTypeThresholdConditions{{Evaluator: expr.ExprTypeThresholdConditionsEvaluator{Type: expr.ExprTypeThresholdConditionsEvaluatorTypeGt, Params: []float64{a.above}}}}}
	span := alerting.Duration(a.window)
	return alerting.NewRuleBuilder(a.title).Uid(a.uid).FolderUID(folder).RuleGroup(folder).OrgID(1).Condition("C").For(a.wait).
		NoDataState(alerting.RuleNoDataStateOK).ExecErrState(alerting.RuleExecErrStateError).
		Labels(map[string]string{"severity": a.severity, "product": folder}).
		Annotations(map[string]string{"summary": a.summary, "description": a.advice, "runbook_url": reviewDefault + a.review, "dashboard": "/d/" + a.board}).
		WithQuery(alerting.NewQueryBuilder("A").DatasourceUid(uid).RelativeTimeRange(span, 0).Model(built[variants.Dataquery]{asked})).
		WithQuery(alerting.NewQueryBuilder("C").DatasourceUid(self).RelativeTimeRange(span, 0).Model(built[variants.Dataquery]{&expr.Expr{TypeThreshold: &above}})).
		Build()
}

// apiOnly are keys of a rule that a file has elsewhere: in its group.
var apiOnly = []string{"folderUID", "orgID", "ruleGroup"}

// ruleFile is what Grafana reads from provisioning/alerting.
func ruleFile() ([]byte, error) {
	var rules []any
	for _, a := range alerts() {
		r, err := a.rule()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.uid, err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		var plain map[string]any
		if err := json.Unmarshal(text, &plain); err != nil {
			return nil, err
		}
		for _, key := range apiOnly {
			delete(plain, key)
		}
		rules = append(rules, plain)
	}
	b := bytes.NewBufferString("# Written by dashboards/gen; change alerts.go there and run make generate.\n")
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	err := enc.Encode(map[string]any{"apiVersion": 1, "groups": []any{map[string]any{"orgId": 1, "name": folder, "folder": folder, "interval": "1m", "rules": rules}}})
	return b.Bytes(), err
}
