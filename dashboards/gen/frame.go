package main

import (
	"maps"
	"slices"
)

// tags of every dashboard; the first finds them all.
var tags = []string{"otelcol-agent", "ai-agents"}

const reviewTitle = "Open the review"

// variable is a choice at the head of a dashboard.
type variable struct{ name, label, value, about string }

// sources are the variables of data sources; value is the plugin.
func (b *board) sources() (out []variable) {
	if b.sql {
		out = append(out, variable{name: storeSource, label: "Evidence store", value: storePlugin})
	}
	if b.prom {
		out = append(out, variable{name: metricsSource, label: "Collector metrics", value: metricsPlugin})
	}
	return out
}

// texts are the variables that a reader may fill.
func (b *board) texts() []variable {
	out := []variable{{reviewPage, "Review page", reviewDefault, "Where the review extension is reached from your browser."}}
	if b.sql {
		out = append(out, variable{tenant, "Tenant", "", "Only this tenant; empty is all."})
	}
	return out
}

// override changes how one column looks.
type override struct {
	column     string
	properties []property
}

type property struct {
	id    string
	value any
}

func (p *panel) overrides() (out []override) {
	if p.draw != list {
		return nil
	}
	if p.sql != "" {
		link := []any{map[string]any{"title": reviewTitle, "url": taskLink, "targetBlank": true}}
		out = append(out, override{taskColumn, []property{{"links", link}}})
	}
	for _, column := range slices.Sorted(maps.Keys(p.units)) {
		out = append(out, override{column, []property{{"unit", p.units[column]}}})
	}
	return out
}
