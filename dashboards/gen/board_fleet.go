package main

const money, milliseconds, moment = "currencyUSD", "ms", "dateTimeAsIso"

// fleet is what a lead looks at first.
func fleet() board {
	return board{uid: "otelcol-agent-fleet", title: "AI agents: fleet overview", sql: true,
		about: "Runs, denials, unknown effects, cost and latency over all agents, from the facts that telemetry states. Whether a run went wrong, and where first, is in its review.",
		rows: []row{
			{"What happened", []panel{
				{title: "Runs", about: "Runs with a step in the time range, and those with a step in error.", draw: figure, sql: "fleet/runs", review: "/tasks?" + since},
				{title: "Denials", about: "Decisions that say deny or abort, each once.", draw: figure, sql: "fleet/denials", review: "/policy?" + since},
				{title: "Denied calls that ran", about: "A denied call that a step of the same run made, and that ended without error, or that the decision itself calls executed.", draw: figure,
					sql: "fleet/bypasses", review: "/tasks?class=authority_violation&" + since, alarm: true},
				{title: "Effects without receipt", about: "Effects that were dispatched or accepted, and of which no receipt, verification or failure is stated since. They may have happened. Effects that state no stage are judged in the review.",
					draw: figure, sql: "fleet/unknown_effects", review: "/tasks?class=unknown_effect&" + since, alarm: true},
				{title: "Controls ignored or lost", about: "Cancels, pauses, timeouts and kills that a layer ignored or lost.", draw: figure, sql: "fleet/controls_ignored", review: "/tasks?class=cancel_ignored&" + since, alarm: true},
			}},
			{"Runs", []panel{
				{title: "Runs by claimed outcome", about: "What somebody claimed of the run's task last. A claim is no evidence.", draw: overTime, sql: "fleet/runs_by_outcome", review: "/tasks?" + since},
				{title: "Runs by keep class", about: "The class that tailpolicy stamped on a kept run; a collector without it stamps none.", draw: bars, sql: "fleet/runs_by_class", wide: 6, review: "/tasks?" + since},
				{title: "Facts behind the classes", about: "How often each fact is stated, and of how many tasks.", draw: list, sql: "fleet/facts_of_classes", wide: 6, review: "/tasks?" + since},
				{title: "Latest runs", about: "Newest first; the task leads to its review.", draw: list, sql: "fleet/latest_runs", review: "/tasks?" + since,
					units: map[string]string{"took": milliseconds, "started": moment}},
			}},
			{"Policy and effects", []panel{
				{title: "Denials by policy", about: "By policy, version and rule; the task is the latest that was denied.", draw: list, sql: "fleet/denials_by_policy", wide: 12, review: "/policy?" + since,
					units: map[string]string{"latest": moment}},
				{title: "Denied calls that ran", about: "Look at these first.", draw: list, sql: "fleet/bypassed_calls", wide: 12, review: "/tasks?class=authority_violation&" + since, units: map[string]string{"time": moment}},
				{title: "Effects without receipt", about: "What may have happened outside, by the last stage that is stated.", draw: list, sql: "fleet/open_effects", review: "/tasks?class=unknown_effect&" + since,
					units: map[string]string{"sent at": moment}},
			}},
			{"Cost, tokens and latency", []panel{
				{title: "Tokens by model", about: "Of calls to models. A trace without such a call counts what its other steps state.", draw: overTime, sql: "fleet/tokens_over_time", review: "/tasks?" + since},
				{title: "Tokens and cost by agent and model", about: "Cost is what senders state of calls, in US dollars, estimates among them and running totals not; empty means that no call states one.", draw: list, sql: "fleet/tokens_by_model", wide: 12, review: "/tasks?" + since,
					units: map[string]string{"cost": money, "input tokens": "short", "output tokens": "short"}},
				{title: "Latency, 95th percentile by operation", about: "Of steps that have ended.", draw: overTime, sql: "fleet/latency_over_time", unit: milliseconds, review: "/tasks?" + since},
				{title: "Latency by operation and name", about: "Name: of the tool, the agent or the model.", draw: list, sql: "fleet/latency", wide: 12, review: "/tasks?" + since,
					units: map[string]string{"p50": milliseconds, "p95": milliseconds, "p99": milliseconds, "longest": milliseconds}},
			}},
		}}
}
