package main

// metric names are those of the collector's own metrics as its presets expose
// them: the name in metadata.yaml with this before it.
const own = "otelcol_"

func rate(by, metric string) string {
	return "sum by (" + by + ") (rate(" + own + metric + "[$__rate_interval]))"
}
func level(by, metric string) string {
	return "sum by (" + by + ") (" + own + metric + ")"
}

// lately is how often rare events happened. A counter has no series until its first
// event, which an increase does not see: a series that is new counts whole, and only
// the others by their increase.
func lately(selector, window string) string {
	return "((sum(increase(" + own + selector + "[" + window + "]) and " + own + selector + " offset " + window + ") or vector(0)) + (sum(" + own + selector + " unless " + own + selector + " offset " + window + ") or vector(0)))"
}

func collector() board {
	const health = "/health"
	over := func(title, about, unit string, s ...series) panel {
		return panel{title: title, about: about, draw: overTime, unit: unit, series: s, review: health}
	}
	lost := func(title, about, selector string) panel {
		return panel{title: title, about: about, draw: figure, series: []series{{lately(selector, "$__range"), title}}, review: health, alarm: true}
	}
	return board{uid: "otelcol-agent-collector", title: "AI agents: collector health", prom: true,
		about: "What the collectors lost and why, how full they are, and what they mapped and redacted. No figure here holds a value of anybody's telemetry.",
		rows: []row{
			{"Losses in the time range", []panel{
				lost("Runs cut", "Runs that were dropped and then kept for a late protected step: earlier steps are gone.", `processor_tailpolicy_runs_incomplete{class!="none"}`),
				lost("Runs not taken", "Kept runs that the next component refused for good.", `processor_tailpolicy_sends_failed{outcome="permanent"}`),
				lost("Batches refused", "By tailpolicy, for want of memory; senders try again.", "processor_tailpolicy_batches_refused"),
				lost("Values not judged", "Values that could not be judged and were replaced or removed.", "processor_redactor_values_failed"),
				lost("Rows set aside", "Rows that the store refused.", "exporter_evidencestore_rows_quarantined"),
				lost("Queue overflow", "Spans that found an exporter's queue full.", "exporter_enqueue_failed_spans"),
			}},
			{"Flow", []panel{
				over("Received", "Spans and log records taken, a second.", "short", series{rate("receiver", "receiver_accepted_spans"), "spans {{receiver}}"}, series{rate("receiver", "receiver_accepted_log_records"), "records {{receiver}}"}),
				over("Refused by receivers", "A second; refused are tried again by senders, failed are errors of later steps.", "short", series{rate("receiver", "receiver_refused_spans"), "spans {{receiver}}"},
					series{rate("receiver", "receiver_refused_log_records"), "records {{receiver}}"}, series{rate("receiver", "receiver_failed_spans"), "failed spans {{receiver}}"},
					series{rate("reason", "receiver_lenientotlp_refused_requests"), "requests {{reason}}"}),
				over("Rows stored", "A second.", "short", series{rate("kind", "exporter_evidencestore_rows_written"), "{{kind}}"}),
				over("Not sent", "Spans and records that an exporter could not send or queue, a second.", "short", series{rate("exporter", "exporter_send_failed_spans"), "spans {{exporter}}"},
					series{rate("exporter", "exporter_send_failed_log_records"), "records {{exporter}}"}, series{rate("exporter", "exporter_enqueue_failed_spans"), "queue full {{exporter}}"}),
			}},
			{"Keep and drop", []panel{
				over("Runs decided by class", "A second; kept and dropped.", "short", series{rate("class, decision", "processor_tailpolicy_runs_decided"), "{{decision}} {{class}}"}),
				over("Spans dropped", "By reason, a second.", "short", series{rate("reason", "processor_tailpolicy_spans_dropped"), "{{reason}}"}),
				over("Runs decided by trigger", "Memory and shutdown mean decisions before their time.", "short", series{rate("trigger", "processor_tailpolicy_runs_decided"), "{{trigger}}"}),
				over("Held on disk", "Spans that an earlier process left and that are decided now; those of dropped runs that could not be written for later; and errors of the storage, a second.", "short",
					series{rate("instance", "processor_tailpolicy_spans_recovered"), "recovered {{instance}}"}, series{rate("instance", "processor_tailpolicy_limbo_skipped"), "limbo skipped {{instance}}"},
					series{rate("instance", "processor_tailpolicy_storage_errors"), "errors {{instance}}"}),
				over("Protected runs that a rule would drop", "A second; they are kept.", "short", series{rate("class, rule", "processor_tailpolicy_rules_overruled"), "{{class}} by {{rule}}"}),
				over("Late spans and rule errors", "A second.", "short", series{rate("decision", "processor_tailpolicy_spans_late"), "late, run {{decision}}"}, series{rate("rule", "processor_tailpolicy_rule_errors"), "rule {{rule}}"}),
			}},
			{"How full", []panel{
				over("Queues", "Share of an exporter's queue that is taken; there is a line only where a queue is configured.", "percentunit",
					series{"max by (exporter, data_type) (" + own + "exporter_queue_size / " + own + "exporter_queue_capacity)", "{{exporter}} {{data_type}}"}),
				over("Undecided", "Runs that tailpolicy waits with, open turns and waiting verdicts.", "short", series{level("instance", "processor_tailpolicy_pending_runs"), "runs {{instance}}"},
					series{level("phase", "connector_agentevents_turns"), "turns {{phase}}"}, series{level("instance", "connector_evaluation_waiting"), "verdicts {{instance}}"}),
				over("Memory", "Of the process, and what undecided runs hold of it.", "bytes", series{level("instance", "process_memory_rss"), "process {{instance}}"},
					series{level("instance", "processor_tailpolicy_pending_bytes"), "runs {{instance}}"}),
				over("Processor time", "Cores.", "short", series{rate("instance", "process_cpu_seconds"), "{{instance}}"}),
			}},
			{"Map and redact", []panel{
				over("Mapped by dialect", "Items a second.", "short", series{rate("dialect", "processor_genaimapper_items_mapped"), "{{dialect}}"}),
				over("Left as they were", "Items that no dialect changed, a second, by reason.", "short", series{rate("reason", "processor_genaimapper_items_left"), "{{reason}}"}),
				over("Redacted by rule", "Values a second.", "short", series{rate("rule", "processor_redactor_values_redacted"), "{{rule}}"}),
				over("Not judged", "Values a second, by reason.", "short", series{rate("reason", "processor_redactor_values_failed"), "{{reason}}"}),
			}},
			{"Store", []panel{
				over("Time to store a batch", "95th percentile, by outcome.", "s",
					series{"histogram_quantile(0.95, sum by (le, outcome) (rate(" + own + "exporter_evidencestore_write_duration_bucket[$__rate_interval])))", "{{outcome}}"}),
				over("Size and rows pruned", "Size of the database where the engine tells it; rows deleted by age, a second.", "short", series{level("instance", "exporter_evidencestore_database_size"), "bytes {{instance}}"},
					series{rate("instance", "exporter_evidencestore_rows_pruned"), "pruned {{instance}}"}),
				over("Records that nothing reads", "Log records whose name no rule knows, a second.", "short", series{rate("instance", "exporter_evidencestore_records_unknown"), "{{instance}}"}),
				over("Evaluation results", "By outcome, and disputes, a second.", "short", series{rate("outcome", "connector_evaluation_results"), "{{outcome}}"}, series{rate("against", "connector_evaluation_disputes"), "dispute with {{against}}"}),
			}},
		}}
}
