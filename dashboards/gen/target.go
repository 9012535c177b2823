package main

import (
	"maps"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// storeQuery is a query of the ClickHouse plugin, for which the SDK has no type.
// format: 0 rows with a time are series, 1 a table.
func storeQuery(sql string, draw drawing) variants.UnknownDataquery {
	format, kind := 1, "table"
	if draw == overTime {
		format, kind = 0, "timeseries"
	}
	return variants.UnknownDataquery{"editorType": "sql", "format": format, "queryType": kind, "rawSql": sql, "refId": "A"}
}

// target is a query of a panel, and its name in it.
type target struct {
	ref   string
	query variants.Dataquery
}

func (p *panel) targets() ([]target, error) {
	if p.sql != "" {
		sql, err := query(p.sql, ofTenant)
		return []target{{"A", storeQuery(sql, p.draw)}}, err
	}
	var out []target
	for i, s := range p.series {
		q := prometheus.NewDataquery()
		ref := string(rune('A' + i))
		q.Expr, q.RefId = s.expr, &ref
		q.LegendFormat = &s.legend
		mode, yes, no := prometheus.QueryEditorModeCode, true, false
		q.EditorMode = &mode
		q.Range, q.Instant = &yes, &no
		if p.draw == list || p.draw == bars || p.draw == figure {
			q.Range, q.Instant = &no, &yes
		}
		if p.draw == list || p.draw == bars {
			format := prometheus.PromQueryFormatTable
			q.Format = &format
		}
		out = append(out, target{ref, q})
	}
	return out, nil
}

// from is the query with the data source that a classic panel names in each.
func (t target) from(variable, plugin string) variants.Dataquery {
	ref := common.DataSourceRef{Type: &plugin, Uid: &variable}
	switch q := t.query.(type) {
	case variants.UnknownDataquery:
		out := maps.Clone(q)
		out["datasource"] = map[string]any{"type": plugin, "uid": variable}
		return out
	case *prometheus.Dataquery:
		out := *q
		out.Datasource = &ref
		return &out
	}
	return t.query
}
