package tail_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// tenantLoad is what one tenant sends.
type tenantLoad struct {
	name  string
	runs  float64 // a second
	spans func(r *rand.Rand) int
}

// TestQuotaIsFair: over some minutes every tenant above its quota keeps its quota
// to within 2 %, whatever the others send and however large its runs are; one
// within its quota keeps everything. Sums of adjusted counts stay right.
func TestQuotaIsFair(t *testing.T) {
	const quota, share = 100.0, 0.5
	few := func(*rand.Rand) int { return 5 }
	wild := func(r *rand.Rand) int { return 1 + int(math.Exp(r.Float64()*5)) }
	loads := []tenantLoad{
		{"hundredfold", 4000, few}, {"wild", 600, wild}, {"twice", 80, few}, {"within", 30, few}, {"late", 400, few},
	}
	for _, unit := range []string{"spans", "bytes"} {
		t.Run(unit, func(t *testing.T) {
			each := tail.Quota{Spans: quota}
			if unit == "bytes" {
				each = tail.Quota{Bytes: 1000 * quota}
			}
			q := tail.NewQuotas(tail.QuotaSettings{Each: each, MaxTenants: 100})
			r := rand.New(rand.NewPCG(5, 5))
			now := time.Unix(1_800_000_000, 0)
			const warm, seconds = 120, 600
			kept, sent, counted := map[string]float64{}, map[string]float64{}, map[string]float64{}
			due := map[string]float64{}
			for second := range warm + seconds {
				now = now.Add(time.Second)
				for _, l := range loads {
					if l.name == "late" && second < 60 {
						continue
					}
					for due[l.name] += l.runs; due[l.name] >= 1; due[l.name]-- {
						spans := l.spans(r)
						p := share * q.Left(l.name, now)
						keep := r.Float64() < p
						q.Note(l.name, spans, int64(spans)*1000, share, keep, now)
						if second < warm {
							continue
						}
						sent[l.name] += float64(spans)
						if keep {
							kept[l.name] += float64(spans)
							counted[l.name] += float64(spans) / p
						}
					}
				}
			}
			for _, l := range loads {
				want := math.Min(quota, sent[l.name]*share/seconds)
				if off := math.Abs(kept[l.name]/seconds-want) / want; off > 0.02 && l.name != "within" || off > 0.05 {
					t.Errorf("%s keeps %.1f spans/s, want %.1f", l.name, kept[l.name]/seconds, want)
				}
				if off := math.Abs(counted[l.name]-sent[l.name]) / sent[l.name]; off > 0.05 {
					t.Errorf("%s: adjusted counts are %.0f, there were %.0f spans", l.name, counted[l.name], sent[l.name])
				}
			}
		})
	}
}

// TestNamesAreNoQuotas: a sender that names another tenant for every run gets no more than
// the quotas that there is room for, and takes nothing of a tenant that the policy names.
func TestNamesAreNoQuotas(t *testing.T) {
	const most, seconds, spans = 10, 600, 5
	q := tail.NewQuotas(tail.QuotaSettings{Each: tail.Quota{Spans: 1}, MaxTenants: most, Tenants: map[string]tail.Quota{"ours": {Spans: 10}}})
	r := rand.New(rand.NewPCG(6, 6))
	now := time.Unix(1_800_000_000, 0)
	kept, ours := 0, 0
	run := func(tenant string, spans int) int {
		keep := r.Float64() < q.Left(tenant, now)
		q.Note(tenant, spans, 0, 1, keep, now)
		if keep {
			return spans
		}
		return 0
	}
	for second := range seconds {
		now = now.Add(time.Second)
		for i := range 100 {
			kept += run(fmt.Sprint("made up ", second, i), spans)
		}
		ours += run("ours", 8)
	}
	if ours != 8*seconds {
		t.Errorf("the tenant within its quota keeps %d of %d spans", ours, 8*seconds)
	}
	if want := most * seconds; kept > 2*want {
		t.Errorf("%d spans are kept of made-up tenants, want no more than about %d", kept, want)
	}
}

// TestTenantsAreIsolated: one tenant sends a hundred times its quota, another one
// is within it; both have denials. The other one keeps all that its share says, the
// loud one its quota, and all denials are kept.
func TestTenantsAreIsolated(t *testing.T) {
	set := settings(t, "ratio 1\nmemory_bytes 100000000")
	const quota, seconds = 20, 300
	set.Policy.Quotas = tail.NewQuotas(tail.QuotaSettings{Each: tail.Quota{Spans: quota}, MaxTenants: 10})
	h := newHost(t, set, func() string { return "" })
	n := 0
	sent := map[string]int{}
	for second := range seconds {
		var batch []draw
		add := func(tenant string, runs int) {
			for range runs {
				n++
				d := draw{tenant: tenant, name: fmt.Sprintf("%s%d/1", tenant, n)}
				if n%97 == 0 {
					d.parts = []string{"app.permission.decision=deny"}
					sent[tenant+" alarm"]++
				} else {
					sent[tenant]++
				}
				batch = append(batch, d)
			}
		}
		add("loud", 100*quota/10)
		if second%2 == 0 {
			add("quiet", quota)
		}
		h.offerAll(batch)
		h.until(h.now.Add(time.Second))
	}
	h.until(h.now.Add(30 * time.Second))
	kept := map[string]int{}
	for name := range h.sent {
		tenant, _, _ := strings.Cut(name, " ")
		if h.classes[name] != "" {
			tenant += " alarm"
		}
		kept[tenant]++
	}
	if kept["quiet"] != sent["quiet"] {
		t.Errorf("the quiet tenant keeps %d of %d", kept["quiet"], sent["quiet"])
	}
	for _, tenant := range []string{"loud alarm", "quiet alarm"} {
		if kept[tenant] != sent[tenant] || sent[tenant] == 0 {
			t.Errorf("%s: %d of %d kept", tenant, kept[tenant], sent[tenant])
		}
	}
	// What it had saved up, 10 s, comes on top.
	if got, want := float64(kept["loud"]), float64(quota*(seconds+10)); math.Abs(got-want) > 0.02*want {
		t.Errorf("the loud tenant keeps %v spans, want about %v", got, want)
	}
	if h.dropped[tail.ByQuota] != sent["loud"]-kept["loud"] {
		t.Errorf("%d spans were dropped by quota, want %d", h.dropped[tail.ByQuota], sent["loud"]-kept["loud"])
	}
}
