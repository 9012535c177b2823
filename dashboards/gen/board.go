package main

// board is one dashboard.
type board struct {
	uid, title, about string
	sql               bool // asks the evidence store
	prom              bool // asks the collector's metrics
	rows              []row
}

type row struct {
	title  string
	panels []panel
}

// panel is one question. Exactly one of sql and series is filled.
type panel struct {
	title, about string
	draw         drawing
	unit         string
	units        map[string]string // of columns by name, where they differ
	wide, high   int               // of 24 columns; 0 is what the drawing has
	sql          string            // file under sql, without its ending
	series       []series
	review       string // path of the review page that says more
	alarm        bool   // anything above zero is bad
}

// series is a query in PromQL.
type series struct{ expr, legend string }

// drawing is how a panel shows its answer.
type drawing int

const (
	figure drawing = iota
	list
	overTime
	bars
)

// size is what a panel takes of the grid.
func (p *panel) size() (wide, high int) {
	wide, high = [...]int{4, 24, 12, 8}[p.draw], [...]int{4, 8, 8, 8}[p.draw]
	if p.wide != 0 {
		wide = p.wide
	}
	if p.high != 0 {
		high = p.high
	}
	return wide, high
}

// boards are all dashboards.
func boards() []board {
	return []board{fleet(), protocols(), evaluation(), completeness(), collector()}
}

// Names of variables.
const (
	storeSource   = "clickhouse"
	metricsSource = "prometheus"
	reviewPage    = "review"
	tenant        = "tenant"
)

const (
	storePlugin   = "grafana-clickhouse-datasource"
	metricsPlugin = "prometheus"
	reviewDefault = "http://127.0.0.1:4380"
)

// since hands the dashboard's time range to a page of the review.
const since = "since=${__from:date:iso}"

// reviewLink is the address of a panel's review page.
func (p *panel) reviewLink() string { return "${" + reviewPage + "}" + p.review }

// taskLink is the address of the review of the task in a cell.
const taskLink = "${" + reviewPage + "}/tasks/${__value.raw:percentencode}?tenant=${__data.fields.Tenant:percentencode}"

// Columns of tables that lead to a review.
const (
	taskColumn   = "task"
	tenantColumn = "Tenant"
)

// source is the variable that holds the data source of a panel, and its plugin.
func (p *panel) source() (variable, plugin string) {
	if p.sql != "" {
		return "${" + storeSource + "}", storePlugin
	}
	return "${" + metricsSource + "}", metricsPlugin
}
