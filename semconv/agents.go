package semconv

import (
	"slices"
	"strings"
	"sync"
)

// Agent is a coding agent and how it is pointed at a collector, as agents.yaml says.
type Agent struct {
	Name        string   `yaml:"name"`
	Also        []string `yaml:"also"` // other names that people type
	Title       string   `yaml:"title"`
	Sends       string   `yaml:"sends"`    // what arrives, "" if the agent sends no OTLP
	Journals    []string `yaml:"journals"` // presets that read what it writes
	Writes      string   `yaml:"writes"`
	Ways        []Way    `yaml:"ways"`
	Off         []string `yaml:"off"`
	Notes       []string `yaml:"notes"`
	RawHeaders  bool     `yaml:"raw_headers"`
	Node        bool     `yaml:"node"`
	Uncertified bool     `yaml:"uncertified"`
	Unseen      bool     `yaml:"unseen"`      // what it sends is not kept, so nothing shows that it came
	Instead     string   `yaml:"instead"`     // what to do where it neither sends nor writes
	Undialected string   `yaml:"undialected"` // why it has no dialect file
}

// Way is settings of an agent that belong together. Values and Text are templates.
type Way struct {
	Title     string   `yaml:"title"`
	Folder    string   `yaml:"folder"`
	Variables []string `yaml:"variables"` // NAME=value
	OTLP      string   `yaml:"otlp"`
	Extras    string   `yaml:"extras"`
	File      string   `yaml:"file"`
	Text      string   `yaml:"text"`
}

// Dialect is the name of the dialect file that maps what the agent sends, "" for none.
func (a *Agent) Dialect() string {
	if a.Undialected != "" {
		return ""
	}
	return strings.ReplaceAll(a.Name, "-", "_")
}

// Agents lists the agents in the order of the file. Callers share the value and do
// not change it.
var Agents = sync.OnceValue(func() []Agent {
	return must(load[struct {
		Agents []Agent `yaml:"agents"`
	}]("agents.yaml")).Agents
})

// FindAgent returns the agent that has a name.
func FindAgent(name string) (*Agent, bool) {
	for i, a := range Agents() {
		if a.Name == name || slices.Contains(a.Also, name) {
			return &Agents()[i], true
		}
	}
	return nil, false
}
