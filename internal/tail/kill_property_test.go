package tail_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestKillsLoseNothing plays histories against a small memory, a small disk, a next
// component that fails and a process that is killed at any moment: every accepted
// alarm goes out, every accepted span goes out or is dropped for a reason, nothing
// else goes out, and a span goes out again only if the process was killed before
// that was written down.
func TestKillsLoseNothing(t *testing.T) {
	again, killed := 0, 0
	const histories = 30
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(seed, 4))
		set := settings(t, "ratio 0.3\nmemory_bytes 6000\nmax_wait 40s\nstorage 12000")
		down := false
		h := newHost(t, set, func() string {
			if down || r.IntN(5) == 0 {
				return "down"
			}
			return ""
		})
		h.open(t, logSettings(t, time.Minute))
		accepted, alarms, denied := map[string]bool{}, map[string]bool{}, map[string]bool{}
		kills := 0
		for rest := history(r, 30+r.IntN(60)); len(rest) > 0; {
			n := 1 + r.IntN(min(5, len(rest)))
			down = r.IntN(3) == 0
			for _, d := range h.offerAll(rest[:n]) {
				trace := d.tenant + " " + d.trace()
				if d.record {
					denied[trace] = denied[trace] || d.alarm()
					continue
				}
				accepted[d.tenant+" "+d.name] = true
				alarms[d.tenant+" "+d.name] = d.alarm() || denied[trace]
			}
			rest = rest[n:]
			h.stalled = r.IntN(3) == 0
			h.until(h.now.Add(time.Duration(r.IntN(20)) * time.Second))
			h.flush()
			if r.IntN(6) == 0 {
				h.kill()
				kills++
			}
		}
		down, h.stalled = false, false
		for range attempts {
			if h.state.Idle() {
				break
			}
			h.until(h.now.Add(time.Second))
		}
		killed += kills
		gone := 0
		for name := range accepted {
			switch {
			case h.sent[name] == 0 && alarms[name]:
				t.Fatalf("seed %d: alarm %s is lost; dropped %v", seed, name, h.dropped)
			case h.sent[name] == 0:
				gone++
			case h.sent[name] > 1:
				again++
				if kills == 0 {
					t.Fatalf("seed %d: span %s sent %d times, and nothing was killed", seed, name, h.sent[name])
				}
			}
		}
		for name := range h.sent {
			if !accepted[name] {
				t.Fatalf("seed %d: span %s was never accepted", seed, name)
			}
		}
		dropped := 0
		for _, n := range h.dropped {
			dropped += n
		}
		if dropped < gone {
			t.Fatalf("seed %d: %d spans are gone, %d were counted", seed, gone, dropped)
		}
		if used := h.state.Arena.Used(); used != 0 || h.state.Bytes() != 0 {
			t.Fatalf("seed %d: %d bytes of pieces and %d in all are left", seed, used, h.state.Bytes())
		}
	}
	if killed < histories || again == 0 {
		t.Errorf("%d kills and %d spans sent again prove little", killed, again)
	}
}
