//lint:file-ignore SA1019 the SDK calls the classic model old; it is what Grafana reads from files

package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// built is a value that needs no builder.
type built[T any] struct{ v T }

func (b built[T]) Build() (T, error) { return b.v, nil }

func outward(title, url string) *dashboard.DashboardLinkBuilder {
	return dashboard.NewDashboardLinkBuilder(title).Type(dashboard.DashboardLinkTypeLink).Url(url).TargetBlank(true)
}

// classic is the dashboard that every Grafana reads from a file.
func (b *board) classic() (dashboard.Dashboard, error) {
	d := dashboard.NewDashboardBuilder(b.title).Uid(b.uid).Description(b.about).Tags(tags).Time("now-24h", "now").Refresh("1m").Timezone("browser").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).Link(outward("Review", "${"+reviewPage+"}/tasks")).
		Link(dashboard.NewDashboardLinkBuilder("Dashboards").Type(dashboard.DashboardLinkTypeDashboards).Tags(tags[:1]).AsDropdown(true).KeepTime(true).IncludeVars(true))
	for _, v := range b.sources() {
		d.WithVariable(dashboard.NewDatasourceVariableBuilder(v.name).Label(v.label).Type(v.value))
	}
	for _, v := range b.texts() {
		value := dashboard.StringOrArrayOfString{String: &v.value}
		d.WithVariable(dashboard.NewTextBoxVariableBuilder(v.name).Label(v.label).Description(v.about).
			DefaultValue(dashboard.StringOrMap{String: &v.value}).Current(dashboard.VariableOption{Text: value, Value: value}))
	}
	id := uint32(0)
	for _, r := range b.rows {
		id++
		d.WithRow(dashboard.NewRowBuilder(r.title).Id(id))
		for i := range r.panels {
			id++
			p, err := r.panels[i].classic(id)
			if err != nil {
				return dashboard.Dashboard{}, err
			}
			d.WithPanel(p)
		}
	}
	return d.Build()
}

func (p *panel) classic(id uint32) (*dashboard.PanelBuilder, error) {
	targets, err := p.targets()
	if err != nil {
		return nil, err
	}
	variable, plugin := p.source()
	wide, high := p.size()
	options, custom := p.draw.options()
	out := dashboard.NewPanelBuilder().Id(id).Type(p.draw.plugin()).Title(p.title).Description(p.about).Span(uint32(wide)).Height(uint32(high)).
		Datasource(common.DataSourceRef{Type: &plugin, Uid: &variable}).Options(options).
		Links([]cog.Builder[dashboard.DashboardLink]{outward(reviewTitle, p.reviewLink())})
	for _, t := range targets {
		out.WithTarget(built[variants.Dataquery]{t.from(variable, plugin)})
	}
	config := dashboard.NewFieldConfigSource()
	config.Defaults.Custom = custom
	if p.unit != "" {
		config.Defaults.Unit = &p.unit
	}
	if p.alarm {
		zero := 1.0
		config.Defaults.Thresholds = &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute,
			Steps: []dashboard.Threshold{{Color: "green"}, {Color: "red", Value: &zero}}}
	}
	for _, o := range p.overrides() {
		var properties []dashboard.DynamicConfigValue
		for _, v := range o.properties {
			properties = append(properties, dashboard.DynamicConfigValue{Id: v.id, Value: v.value})
		}
		config.Overrides = append(config.Overrides, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher: dashboard.MatcherConfig{Id: "byName", Options: o.column}, Properties: properties})
	}
	return out.FieldConfig(*config), nil
}
