package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/barchart"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// plugin is the panel plugin of a drawing.
func (d drawing) plugin() string { return [...]string{"stat", "table", "timeseries", "barchart"}[d] }

// options are the plugin's, and custom those of its fields; nil is none.
func (d drawing) options() (options, custom any) {
	switch d {
	case figure:
		o := stat.NewOptions()
		o.GraphMode = common.BigValueGraphModeNone
		o.Orientation = common.VizOrientationAuto
		o.ReduceOptions.Calcs = []string{"lastNotNull"}
		return o, nil
	case list:
		o := table.NewOptions()
		o.Footer = nil // what is written without one is read again as it was
		return o, nil
	case bars:
		o := barchart.NewOptions()
		o.Orientation = common.VizOrientationHorizontal
		o.Legend.ShowLegend = false
		o.Legend.DisplayMode, o.Legend.Placement, o.Legend.Calcs = common.LegendDisplayModeList, common.LegendPlacementBottom, []string{}
		o.Tooltip.Mode, o.Tooltip.Sort = common.TooltipDisplayModeSingle, common.SortOrderNone
		return o, nil
	}
	o := timeseries.NewOptions()
	o.Legend.ShowLegend = true
	o.Tooltip.Mode, o.Tooltip.Sort = common.TooltipDisplayModeMulti, common.SortOrderDescending
	c := common.NewGraphFieldConfig()
	fill, width := 10.0, 1.0
	draw, points := common.GraphDrawStyleLine, common.VisibilityModeAuto
	c.FillOpacity, c.LineWidth, c.DrawStyle, c.ShowPoints = &fill, &width, &draw, &points
	return o, c
}
