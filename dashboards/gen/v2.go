package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboardv2"
	"github.com/grafana/grafana-foundation-sdk/go/resource"
)

// v2 is the dashboard as a resource of Grafana's API.
func (b *board) v2() (resource.Manifest, error) {
	d := dashboardv2.NewDashboardBuilder(b.title).Description(b.about).Tags(tags).CursorSync(dashboardv2.DashboardCursorSyncCrosshair).
		TimeSettings(dashboardv2.NewTimeSettingsBuilder().From("now-24h").To("now").AutoRefresh("1m").Timezone("browser").
			AutoRefreshIntervals([]string{"30s", "1m", "5m", "15m", "1h"})).
		Links([]cog.Builder[dashboardv2.DashboardLink]{
			dashboardv2.NewDashboardLinkBuilder().Title("Review").Type(dashboardv2.DashboardLinkTypeLink).Url("${" + reviewPage + "}/tasks").TargetBlank(true),
			dashboardv2.NewDashboardLinkBuilder().Title("Dashboards").Type(dashboardv2.DashboardLinkTypeDashboards).Tags(tags[:1]).AsDropdown(true).KeepTime(true).IncludeVars(true),
		})
	for _, v := range b.sources() {
		d.DatasourceVariable(dashboardv2.NewDatasourceVariableBuilder(v.name).Label(v.label).PluginId(v.value).Options([]dashboardv2.VariableOption{}))
	}
	for _, v := range b.texts() {
		value := dashboardv2.StringOrArrayOfString{String: &v.value}
		d.TextVariable(dashboardv2.NewTextVariableBuilder(v.name).Label(v.label).Description(v.about).Query(v.value).Current(dashboardv2.VariableOption{Text: value, Value: value}))
	}
	id := 0
	rows := dashboardv2.NewRowsBuilder()
	for _, r := range b.rows {
		grid := dashboardv2.NewGridBuilder()
		x, y, tallest := 0, 0, 0
		for i := range r.panels {
			id++
			p := &r.panels[i]
			drawn, err := p.v2(id)
			if err != nil {
				return resource.Manifest{}, err
			}
			name := fmt.Sprintf("panel-%d", id)
			d.Panel(name, drawn)
			wide, high := p.size()
			if x+wide > 24 {
				x, y, tallest = 0, y+tallest, 0
			}
			grid.Item(dashboardv2.NewGridItemBuilder().Name(name).X(int64(x)).Y(int64(y)).Width(int64(wide)).Height(int64(high)))
			x, tallest = x+wide, max(tallest, high)
		}
		rows.Row(dashboardv2.NewRowBuilder().Title(r.title).Collapse(false).GridLayout(grid))
	}
	return dashboardv2.Manifest(b.uid, d.RowsLayout(rows)).Build()
}

func (p *panel) v2(id int) (*dashboardv2.PanelBuilder, error) {
	targets, err := p.targets()
	if err != nil {
		return nil, err
	}
	variable, plugin := p.source()
	group := dashboardv2.NewQueryGroupBuilder()
	for _, t := range targets {
		q := dashboardv2.NewDataQueryKind()
		q.Group, q.Version, q.Spec = plugin, "v0", t.query
		q.Datasource = &dashboardv2.Dashboardv2DataQueryKindDatasource{Name: &variable}
		group.Target(dashboardv2.NewTargetBuilder().RefId(t.ref).Hidden(false).Query(built[dashboardv2.DataQueryKind]{*q}))
	}
	options, custom := p.draw.options()
	viz := dashboardv2.NewVizConfigKindBuilder().Group(p.draw.plugin()).Version("").Options(options)
	if custom != nil {
		viz.Custom(custom)
	}
	if p.unit != "" {
		viz.Unit(p.unit)
	}
	if p.alarm {
		zero := 1.0
		viz.Thresholds(built[dashboardv2.ThresholdsConfig]{dashboardv2.ThresholdsConfig{Mode: dashboardv2.ThresholdsModeAbsolute,
			Steps: []dashboardv2.Threshold{{Color: "green"}, {Color: "red", Value: &zero}}}})
	}
	for _, o := range p.overrides() {
		var properties []dashboardv2.DynamicConfigValue
		for _, v := range o.properties {
			properties = append(properties, dashboardv2.DynamicConfigValue{Id: v.id, Value: v.value})
		}
		viz.OverrideByName(o.column, properties)
	}
	return dashboardv2.NewPanelBuilder().Id(float64(id)).Title(p.title).Description(p.about).Data(group).Visualization(viz).
		Links([]cog.Builder[dashboardv2.DataLink]{dashboardv2.NewDataLinkBuilder().Title(reviewTitle).Url(p.reviewLink()).TargetBlank(true)}), nil
}
