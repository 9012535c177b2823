package stopwatch

import (
	"net/url"
	"time"
)

// Question is what a reviewer asks the pages over a fleet.
type Question struct {
	Name string
	Path string
	Goal time.Duration // of the server, 0 for none
}

const (
	listGoal = 100 * time.Millisecond
	taskGoal = 150 * time.Millisecond
)

// Questions are all of them, about a fleet of Jobs(spans) runs; deep is where a page far
// from the newest run begins.
func Questions(jobs int, deep string) []Question {
	short, usual, long := nearest(jobs/3, 10), nearest(jobs/3, 32), nearest(jobs/3, 200)
	trace := Run(usual, 1, 1)[0].ID.Trace.String()
	tasks := func(pairs ...string) string {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		if len(v) == 0 {
			return "/tasks"
		}
		return "/tasks?" + v.Encode()
	}
	search := func(text string) string { return "/search?" + url.Values{"q": {text}}.Encode() }
	return []Question{
		{"newest 50 runs", tasks(), listGoal},
		{"the same as JSON", "/api/v1/tasks", listGoal},
		{"50 runs, far back", tasks("after", deep), listGoal},
		{"runs since a time", tasks("since", Start(jobs-2000).Format(time.RFC3339)), listGoal},
		{"runs of an agent, which all have", tasks("agent", "worker"), listGoal},
		{"runs with a tool, which all have", tasks("tool", "bash"), listGoal},
		{"runs of an agent and a tool", tasks("agent", "worker", "tool", "write"), listGoal},
		{"runs with a tool call", tasks("tool_call", ToolCall(usual)), listGoal},
		{"runs of a session", tasks("session", Session(usual)), listGoal},
		{"runs with an artifact", tasks("artifact", Artifact(usual)), listGoal},
		{"runs of an outcome", tasks("outcome", "completed"), 0},
		{"runs of an outcome that none has", tasks("outcome", "cancelled"), 0},
		{"a run of 10 steps", "/tasks/" + Job(short), taskGoal},
		{"a run of 32 steps", "/tasks/" + Job(usual), taskGoal},
		{"a run of 200 steps", "/tasks/" + Job(long), taskGoal},
		{"a run of 5,000 steps", "/tasks/" + Job(Long), taskGoal},
		{"the same as JSON", "/api/v1/tasks/" + Job(Long), taskGoal},
		{"the same as Markdown", "/tasks/" + Job(Long) + "/report", taskGoal},
		{"its graph", "/tasks/" + Job(Long) + "/graph", taskGoal},
		{"its attempts compared", "/tasks/" + Job(Long) + "/compare?left=1&right=2", taskGoal},
		{"a trace", "/traces/" + trace, taskGoal},
		{"a step", "/traces/" + trace + "/spans/0100000000000000", taskGoal},
		{"a session of six runs", "/sessions/" + Session(usual), taskGoal},
		{"search: a task", search(Job(usual)), listGoal},
		{"search: a trace", search(trace), listGoal},
		{"search: a session", search(Session(usual)), listGoal},
		{"search: a tool call", search(ToolCall(usual)), listGoal},
		{"search: an artifact", search(Artifact(usual)), listGoal},
		{"search: an agent, which all have", search("worker"), listGoal},
		{"search: nothing", search("no-such-thing"), listGoal},
		{"policy, 1,000 runs", "/policy", 0},
		{"evaluations, 1,000 runs", "/evaluations", 0},
		{"quality, 1,000 runs", "/quality", 0},
		{"health", "/health", listGoal},
	}
}

// nearest is the run of a size that follows another one.
func nearest(n, size int) int {
	for Size(n) != size || n%3 == 0 { // and of several traces
		n++
	}
	return n
}
