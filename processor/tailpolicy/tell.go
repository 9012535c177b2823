package tailpolicy

import (
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// tellEvery is how often a problem is told again that goes on.
const tellEvery = time.Minute

// teller logs a problem when it comes up, and what it came to since once a minute for as
// long as it goes on: a full disk meets every batch.
type teller struct {
	logger *zap.Logger

	mu   sync.Mutex
	told map[string]*trouble
}

// trouble is one problem that was told.
type trouble struct {
	level zapcore.Level
	at    time.Time // when it was told last
	times int       // since
	items int
	err   error
}

// tell notes a problem with a number of spans or records, 0 if it is with none.
func (t *teller) tell(level zapcore.Level, what string, items int, err error, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.told[what]
	if known == nil {
		if t.told == nil {
			t.told = map[string]*trouble{}
		}
		known = &trouble{level: level}
		t.told[what] = known
	}
	known.times, known.items, known.err = known.times+1, known.items+items, err
	if now.Sub(known.at) >= tellEvery {
		t.say(what, known, now)
	}
}

// again tells what went on for a minute, and forgets what did not.
func (t *teller) again(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(t.told)) {
		switch known := t.told[what]; {
		case now.Sub(known.at) < tellEvery:
		case known.times > 0:
			t.say(what, known, now)
		default:
			delete(t.told, what)
		}
	}
}

func (t *teller) say(what string, known *trouble, now time.Time) {
	fields := []zap.Field{zap.Error(known.err)}
	if known.items > 0 {
		fields = append(fields, zap.Int("items", known.items))
	}
	if known.times > 1 {
		fields = append(fields, zap.Int("times", known.times))
	}
	t.logger.Log(known.level, what, fields...)
	known.at, known.times, known.items = now, 0, 0
}
