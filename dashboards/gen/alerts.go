package main

// alert is one rule: it fires while its query answers with more than nothing.
type alert struct {
	uid, title, summary, advice string
	severity                    string
	sql, expr                   string // one of them
	window                      int    // seconds that the query looks back
	wait                        string // how long it has to hold
	board                       string // dashboard that shows more
	review                      string // page of the review
	above                       float64
}

// alerts are all rules.
func alerts() []alert {
	return []alert{
		{uid: "otelcol-agent-unknown-effect", title: "Effect without a receipt", severity: "warning", sql: "alerts/unknown_effects", window: 6 * 3600, wait: "5m", board: "otelcol-agent-fleet",
			review:  "/tasks?class=unknown_effect&since=6h",
			summary: "Effects that agents sent in the last six hours have no receipt ten minutes later.",
			advice:  "They may have happened. Open the review of each, ask the effect's side, and have its receipt recorded or the effect compensated. Repeat nothing before."},
		{uid: "otelcol-agent-bypass", title: "Denied call ran", severity: "critical", sql: "alerts/bypass", window: 3600, wait: "0s", board: "otelcol-agent-fleet",
			review:  "/tasks?class=authority_violation&since=1h",
			summary: "An agent ran a call that a policy or a person had denied.",
			advice:  "Stop the agent if it still runs. The review names the decision, the policy and the step that went on."},
		{uid: "otelcol-agent-protected-loss", title: "Protected run lost evidence", severity: "critical", wait: "0s", window: 900, board: "otelcol-agent-collector", review: "/health",
			expr:    lately(`processor_tailpolicy_runs_incomplete{class!="none"}`, "15m") + " + " + lately(`processor_tailpolicy_sends_failed{outcome="permanent"}`, "15m"),
			summary: "tailpolicy lost steps of runs that it may not lose.",
			advice:  "Runs were dropped before a late protected step came, or the next component refused them for good. Lengthen max_wait, or look at what the exporter says."},
		{uid: "otelcol-agent-redaction-failure", title: "Values that the redactor could not judge", severity: "warning", wait: "0s", window: 900, board: "otelcol-agent-collector", review: "/health",
			expr:    lately("processor_redactor_values_failed", "15m"),
			summary: "Values could not be judged; they were replaced or removed, so nothing leaked, but evidence is gone.",
			advice:  "The reason is a label of the metric. otelcol-agent redact shows what the rules do to a text."},
		{uid: "otelcol-agent-queue-full", title: "A queue is full", severity: "warning", wait: "5m", window: 900, above: 0.9, board: "otelcol-agent-collector", review: "/health",
			expr: "(max(" + own + "exporter_queue_size / " + own + "exporter_queue_capacity) or vector(0)) + clamp_max(" +
				lately("exporter_enqueue_failed_spans", "15m") + " + " + lately("exporter_enqueue_failed_log_records", "15m") + " + " + lately("processor_tailpolicy_batches_refused", "15m") + ", 1)",
			summary: "A queue is more than nine tenths full, or something was refused for want of room.",
			advice:  "Look at what the exporter waits for, then at the size of its queue. Senders of refused data try again; what they give up on is lost."},
	}
}
