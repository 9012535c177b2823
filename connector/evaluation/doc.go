// Package evaluation is the connector that reads evaluation results from logs
// and spans, and sends verdict spans to traces and counts to metrics.
//
// Words:
//
//   - court: what the connectors of one component id share: memory, waiting
//     results, counts
//   - waiting: a result that names its subject by something no step had yet
//   - door: one connector, that is one pair of pipelines
//
// It decides nothing: see package judge. Records and spans without a result are
// only looked at for what they can be named by.
package evaluation
