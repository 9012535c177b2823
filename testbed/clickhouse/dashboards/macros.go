// Package dashboards asks every question of the committed Grafana dashboards and
// alert rules of the real ClickHouse engine.
//
// Words:
//
//   - macro: what Grafana or its ClickHouse plugin writes into a query before it is
//     sent, $__fromTime for one
//   - window: the time range of a dashboard
//
// It expands the macros that the dashboards use and no others, and starts no Grafana.
package dashboards

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	interval = regexp.MustCompile(`\$__timeInterval\((\w+)\)`)
	left     = regexp.MustCompile(`\$[_{\w]+`)
)

// expand fills in a query as the plugin does, with a step of a minute.
func expand(sql, tenant string, from, to time.Time) (string, error) {
	sql = strings.NewReplacer(
		"$__fromTime", fmt.Sprintf("toDateTime(%d)", from.Unix()),
		"$__toTime", fmt.Sprintf("toDateTime(%d)", to.Unix()),
		"${tenant:sqlstring}", "'"+strings.ReplaceAll(tenant, "'", "''")+"'",
	).Replace(sql)
	sql = interval.ReplaceAllString(sql, "toStartOfInterval(toDateTime($1), INTERVAL 60 second)")
	if m := left.FindString(sql); m != "" {
		return "", fmt.Errorf("%s is no macro that is known here", m)
	}
	return sql, nil
}
