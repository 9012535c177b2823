// Command gen writes the Grafana dashboards and alert rules of this repository:
//
//	go run . -out ..
//
// Words:
//
//   - board: one dashboard, as rows of panels
//   - panel: one question, asked in SQL of the evidence store or in PromQL of the
//     collector's own metrics, and how its answer is drawn
//   - part: a piece of SQL that several panels share; sql/parts holds them
//   - review: the pages that the review extension serves; every panel leads there
//   - classic: the JSON model that every Grafana reads from files
//   - v2: the resource that Grafana 13 keeps and its API takes
//
// Both forms are drawn from the same boards. The command asks no server anything.
package main
