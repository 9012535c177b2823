module github.com/otelcol-agent/otelcol-agent/dashboards/gen

go 1.26.0

require (
	github.com/grafana/grafana-foundation-sdk/go v0.0.22
	gopkg.in/yaml.v3 v3.0.1
)
