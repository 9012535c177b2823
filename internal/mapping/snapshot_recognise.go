package mapping

import (
	"sync"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// discriminators give the snapshots that first and last have a name. Core
// names such as server.address tell nothing and are not listed.
type discriminators struct {
	snapshots []string // oldest first
	keys      map[string]snapshotLife
	names     map[string]snapshotLife // metrics and events
}

type snapshotLife struct{ first, last int8 }

var snapshotLives = sync.OnceValue(func() *discriminators {
	d := &discriminators{
		snapshots: semconv.SnapshotNames(), keys: map[string]snapshotLife{}, names: map[string]snapshotLife{},
	}
	lives := func(m map[string]snapshotLife, name string, level int) {
		l, ok := m[name]
		if !ok {
			l.first = int8(level)
		}
		l.last = int8(level)
		m[name] = l
	}
	for level, s := range semconv.Chain() {
		for _, a := range s.Aliases {
			lives(d.keys, a.From, level)
		}
		for _, a := range s.Attributes {
			if !a.Core {
				lives(d.keys, a.Key, level)
			}
		}
		for _, m := range s.Metrics {
			lives(d.names, m.Metric, level)
		}
		for _, e := range s.Events {
			lives(d.names, e.Event, level)
		}
	}
	return d
})

// recognise names the snapshot that a record follows by its attributes and its
// metric or event name: the oldest one that has them all. A record whose names
// never lived together, as of an emitter that writes two conventions at once, is
// recognised by the newest of them, and mixed is true. Nothing is recognised
// without a name of a convention.
func recognise(name string, attrs pcommon.Map) (snapshot string, mixed bool) {
	d := snapshotLives()
	first, last, found := int8(0), int8(len(d.snapshots)), false
	see := func(l snapshotLife, ok bool) {
		if ok {
			first, last, found = max(first, l.first), min(last, l.last), true
		}
	}
	if name != "" {
		l, ok := d.names[name]
		see(l, ok)
	}
	for key := range attrs.All() {
		l, ok := d.keys[key]
		see(l, ok)
	}
	if !found {
		return "", false
	}
	return d.snapshots[first], first > last
}
