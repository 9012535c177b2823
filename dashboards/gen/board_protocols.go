package main

func protocols() board {
	const ratio = "percentunit"
	return board{uid: "otelcol-agent-protocols", title: "AI agents: protocol health", sql: true,
		about: "Calls over MCP, A2A, ACP, LSP and HTTP: what failed, in which layer, and which versions were agreed on. That a protocol answered does not say that the effect happened.",
		rows: []row{
			{"Crossings", []panel{
				{title: "Crossings and failures", about: "Steps that cross a boundary.", draw: figure, sql: "protocols/failed_share", wide: 6, high: 8, review: "/tasks?class=error&" + since},
				{title: "Failures over time", about: "Crossings in error, by protocol.", draw: overTime, sql: "protocols/failures_over_time", wide: 18, review: "/tasks?class=error&" + since},
				{title: "By peer", about: "The task is the latest that failed, else the latest.", draw: list, sql: "protocols/crossings", wide: 12, review: "/tasks?class=error&" + since, units: map[string]string{"share": ratio}},
				{title: "Latency by peer", about: "Of steps that name their protocol and have ended.", draw: list, sql: "protocols/latency", wide: 12, review: "/tasks?" + since,
					units: map[string]string{"p50": milliseconds, "p95": milliseconds, "longest": milliseconds}},
			}},
			{"Agreement", []panel{
				{title: "Versions asked for and agreed on", about: "And what was done without.", draw: list, sql: "protocols/versions", review: "/quality?" + since},
				{title: "Failures by layer", about: "The layer that the sender states.", draw: list, sql: "protocols/layers", wide: 12, review: "/tasks?class=error&" + since},
				{title: "External tasks", about: "Tasks of remote agents by their latest state; one that never ends leaves the run unknown.", draw: list, sql: "protocols/external_tasks", wide: 12, review: "/tasks?" + since},
				{title: "Controls by layer", about: "How far cancels, pauses, timeouts and kills came.", draw: list, sql: "protocols/controls", review: "/tasks?class=cancel_ignored&" + since},
			}},
		}}
}
