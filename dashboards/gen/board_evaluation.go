package main

func evaluation() board {
	const ratio = "percentunit"
	return board{uid: "otelcol-agent-evaluation", title: "AI agents: evaluation drift", sql: true,
		about: "Verdicts by verifier and version. Versions are never added up: a new version is a new measure.",
		rows: []row{
			{"Verdicts", []panel{
				{title: "Verdicts", about: "All, failing, unknown.", draw: figure, sql: "evaluation/verdicts", wide: 12, review: "/evaluations?" + since},
				{title: "Subjects in dispute", about: "Subjects of which two verifiers, or two versions of one, say pass and fail last.", draw: figure, sql: "evaluation/disagreements", wide: 12,
					review: "/tasks?class=verifier_disagreement&" + since},
				{title: "By verifier and version", about: "Pass rate is of passes and fails. Scores are between the ends of their scale. The task is the latest that failed, else the latest.", draw: list, sql: "evaluation/by_version",
					review: "/evaluations?" + since, units: map[string]string{"pass rate": ratio}},
			}},
			{"Drift", []panel{
				{title: "Pass rate over time", about: "Of passes and fails.", draw: overTime, sql: "evaluation/rate_over_time", unit: ratio, review: "/evaluations?" + since},
				{title: "Mean score over time", about: "Of verdicts that say they are comparable.", draw: overTime, sql: "evaluation/score_over_time", review: "/evaluations?" + since},
				{title: "Now and before", about: "The time range against the one of the same length before it.", draw: list, sql: "evaluation/drift", review: "/evaluations?" + since,
					units: map[string]string{"pass rate now": ratio, "pass rate earlier": ratio, "change": ratio}},
				{title: "Subjects", about: "Those with both pass and fail first.", draw: list, sql: "evaluation/subjects", review: "/evaluations?" + since, units: map[string]string{"latest": moment}},
			}},
		}}
}
