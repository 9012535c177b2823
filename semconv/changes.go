package semconv

// Changes says what a snapshot does differently from the one it follows. Keys
// that are new need no entry: they are in this snapshot and not in the other.
type Changes struct {
	Renamed        []Rename       `yaml:"renamed"`
	Retyped        []Retype       `yaml:"retyped"`
	Removed        []string       `yaml:"removed"` // keys without a successor
	SpansRenamed   []Rename       `yaml:"spans_renamed"`
	TakenOff       []TakenOff     `yaml:"taken_off"`
	MetricsRenamed []MetricRename `yaml:"metrics_renamed"`
	EventsEnded    []EndedEvent   `yaml:"events_ended"`
	ContentChanged []Changed      `yaml:"content_changed"`
}

// Where is a condition on a record's attributes: each key must have one of its
// words; an empty list means that the key must be there.
type Where map[string][]string

// Rename is a name of an earlier convention and its successor.
type Rename struct {
	From   string            `yaml:"from"`
	To     string            `yaml:"to"`
	Values map[string]string `yaml:"values"` // old word to new
	Where  Where             `yaml:"where"`  // only on these records
}

// Retype is a key whose values have another type.
type Retype struct {
	Key  string `yaml:"key"`
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// TakenOff lists keys that a span no longer has though they live on elsewhere.
// A record that has them keeps them.
type TakenOff struct {
	Span  string   `yaml:"span"`
	Where Where    `yaml:"where"` // how a span of that type is told, beside its kind
	Keys  []string `yaml:"keys"`
}

// MetricRename is a metric and its successor for the data points under Where.
type MetricRename struct {
	From  string   `yaml:"from"`
	To    string   `yaml:"to"`
	Where Where    `yaml:"where"`
	Drops []string `yaml:"drops"` // attributes that the new name says; each has one word in Where
}

// EndedEvent is an event that this snapshot no longer has.
type EndedEvent struct {
	Event string `yaml:"event"`
	By    string `yaml:"by"` // the key or event that holds the same now
	Brief string `yaml:"brief"`
}

// Changed is a key that keeps its name and type while what it holds changed.
type Changed struct {
	Key   string `yaml:"key"`
	Brief string `yaml:"brief"`
}
