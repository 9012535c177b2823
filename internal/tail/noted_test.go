package tail_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// TestWhatIsNotedIsMemory: names that a sender makes long stay in memory when the spans do
// not, and count; joined runs, looks and decisions leave nothing of them behind.
func TestWhatIsNotedIsMemory(t *testing.T) {
	const runs, long = 20, 50_000
	h := newHost(t, settings(t, "ratio 0\nmemory_bytes 10000000\nstorage 50000000"), func() string { return "" })
	h.open(t, logSettings(t, time.Minute))
	name := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", long)) }
	for i := range runs {
		d := draw{tenant: "x", name: fmt.Sprintf("T%d/1", i), parts: []string{"task=" + name(i)}}
		if i%2 == 0 {
			d.parts = append(d.parts, "error")
		}
		h.offerAll([]draw{d})
	}
	h.until(h.now.Add(5 * time.Second))
	if got := h.state.Bytes(); got < 2*runs*long { // in its pieces, and noted of them
		t.Errorf("%d bytes are said to be held, %d names of %d bytes are", got, runs, long)
	}
	h.offerAll([]draw{{tenant: "x", name: "J/1", parts: []string{"task=" + name(1), "parent=" + name(2)}}, {tenant: "y", name: "J/1", parts: []string{"task=" + name(1)}}})
	h.until(h.now.Add(time.Minute))
	if got := h.state.Bytes(); got != 0 {
		t.Errorf("%d bytes are left", got)
	}
}

// TestManyTenantsTakeLittle: of ten thousand and of any, whatever they call themselves.
func TestManyTenantsTakeLittle(t *testing.T) {
	q := tail.NewQuotas(tail.QuotaSettings{Each: tail.Quota{Spans: 10}, MaxTenants: 10_000})
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	now := time.Unix(1_800_000_000, 0)
	for i := range 30_000 {
		q.Note(fmt.Sprint(i, strings.Repeat("x", 2000)), 1, 1, 1, true, now)
	}
	if grown := heap() - before; grown > 5<<20 {
		t.Errorf("10,000 tenants take %d bytes", grown)
	}
	runtime.KeepAlive(q)
}
