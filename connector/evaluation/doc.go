// Package evaluation is the connector that reads evaluation results from logs
// and sends verdict spans to traces.
//
// It holds no state and decides nothing: see package judge. Log records of any
// other name are ignored.
package evaluation
