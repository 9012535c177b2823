package main

func completeness() board {
	const ratio = "percentunit"
	share := map[string]string{}
	for _, column := range []string{"task id", "goal", "version", "tool catalog", "context", "authority", "verifier", "claim"} {
		share[column] = ratio
	}
	return board{uid: "otelcol-agent-evidence", title: "AI agents: evidence completeness", sql: true,
		about: "What a reviewer will miss. The figure of the ten questions itself is computed by the review, on its quality page; this shows the facts it rests on.",
		rows: []row{
			{"What runs state", []panel{
				{title: "Share of runs that state what the ten questions need", about: "By the service of the run's first step. A run counts if any of its steps states it. Not whole: a sampler dropped earlier steps.", draw: list,
					sql: "evidence/ingredients", review: "/quality?" + since, units: share},
				{title: "Effects by how they ended", about: "Of effects that were sent and state their stages.", draw: bars, sql: "evidence/effects", wide: 8, review: "/quality?" + since},
				{title: "Effects by tool", about: "A retry proves to be the same effect only by its idempotency key.", draw: list, sql: "evidence/stages", wide: 16, review: "/quality?" + since},
				{title: "What is missing", about: "What claims and verdicts say they lack, and what decisions of records do not state. The task is the latest.", draw: list, sql: "evidence/missing", wide: 12, review: "/quality?" + since},
				{title: "Log records by event", about: "Names that begin neither with app. nor with gen_ai. are vendors' own: nothing is read from them.", draw: list, sql: "evidence/records", wide: 12, review: "/quality?" + since},
			}},
			{"The store", []panel{
				{title: "Steps without a task id", about: "They are in a run only with what shares their trace.", draw: figure, sql: "evidence/spans_without_task", wide: 6, high: 8, review: "/quality?" + since},
				{title: "Rows set aside", about: "Rows that the store refused, with their reason in the table quarantine.", draw: figure, sql: "evidence/quarantine", wide: 6, high: 8, review: "/health", alarm: true},
				{title: "Steps and records over time", about: "By their own time.", draw: overTime, sql: "evidence/rows_over_time", review: "/tasks?" + since},
				{title: "Signed logs", about: "Latest signed head of each writer's log. otelcol-agent verify compares them with the rows.", draw: list, sql: "evidence/logs", review: "/health", units: map[string]string{"latest head": moment}},
			}},
		}}
}
