package tail

import (
	"container/list"
	"hash/maphash"
	"math"
	"time"
)

// Quota is what of a tenant's unprotected runs may be kept in the long run.
type Quota struct {
	Spans float64 // a second; 0 for no limit
	Bytes float64 // a second, as OTLP protobuf; 0 for no limit
}

// QuotaSettings are the quotas of all tenants.
type QuotaSettings struct {
	Each       Quota
	Tenants    map[string]Quota // those that have another one; they are always measured
	MaxTenants int              // of the others that are measured; the one not seen for longest makes room
}

// Quotas lower the shares of tenants that would keep more than their quota. A
// tenant's runs are thinned out by a threshold like any other share, so what is
// kept still stands for what is not. The part that is left is
//
//	(quota + credit / 10 s) / wanted
//
// wanted is a mean over about 5 s of what would be kept without it; credit grows by
// the quota and shrinks by what is kept, so errors of that mean are paid back: over
// minutes a tenant gets its quota to within 2 %, whatever the others send.
//
// Who sends decides how many tenants there are. One for which another made room goes on
// with what that one had saved up or owed: all of them together get no more than
// MaxTenants quotas.
type Quotas struct {
	QuotaSettings

	named   map[string]*account      // of Tenants
	tenants map[uint64]*list.Element // by a hash: who sends decides how long a name is
	order   *list.List               // of *account, the one seen last in front
	seed    maphash.Seed
}

const (
	meanOver = 5 * time.Second  // how far back wanted looks
	payBack  = 10 * time.Second // in which credit is used up or paid back
	savings  = 10 * time.Second // of quota that an idle tenant saves up
	debts    = time.Minute      // of quota; what is above is forgiven
	leastOf  = 0.1              // of the quota is kept while debts are paid back
)

// NewQuotas starts with what every tenant has saved up.
func NewQuotas(set QuotaSettings) *Quotas {
	return &Quotas{QuotaSettings: set, named: map[string]*account{}, tenants: map[uint64]*list.Element{}, order: list.New(), seed: maphash.MakeSeed()}
}

// Left is the part of a tenant's share that its quota leaves, from 0 to 1.
func (q *Quotas) Left(tenant string, now time.Time) float64 {
	a := q.account(tenant, now)
	return min(a.spans.left(), a.bytes.left())
}

// Note says what a run would have come to and what was kept of it. wanted is the
// share of such runs that would have been kept without a quota.
func (q *Quotas) Note(tenant string, spans int, bytes int64, wanted float64, kept bool, now time.Time) {
	a := q.account(tenant, now)
	a.spans.note(float64(spans), wanted, kept)
	a.bytes.note(float64(bytes), wanted, kept)
}

// account is what is known of one tenant.
type account struct {
	tenant       uint64 // its hash, unless it is named
	at           time.Time
	spans, bytes purse
}

// purse is one of the two limits.
type purse struct {
	quota  float64 // a second, 0 for no limit
	wanted float64 // a second
	credit float64
}

func (q *Quotas) account(tenant string, now time.Time) *account {
	var a *account
	if quota, own := q.Tenants[tenant]; !own {
		a = q.other(tenant, now)
	} else if a = q.named[tenant]; a == nil {
		a = newAccount(quota, now)
		q.named[tenant] = a
	}
	if d := now.Sub(a.at); d > 0 {
		a.spans.pass(d)
		a.bytes.pass(d)
		a.at = now
	}
	return a
}

// other is the account of a tenant without a quota of its own.
func (q *Quotas) other(tenant string, now time.Time) *account {
	hash := maphash.String(q.seed, tenant)
	e := q.tenants[hash]
	switch {
	case e != nil:
	case q.order.Len() < q.MaxTenants:
		e = q.order.PushFront(newAccount(q.Each, now))
	default:
		e = q.order.Back()
		delete(q.tenants, e.Value.(*account).tenant)
	}
	q.order.MoveToFront(e)
	q.tenants[hash] = e
	a := e.Value.(*account)
	a.tenant = hash
	return a
}

func newAccount(quota Quota, now time.Time) *account {
	return &account{at: now, spans: newPurse(quota.Spans), bytes: newPurse(quota.Bytes)}
}

func newPurse(quota float64) purse { return purse{quota: quota, credit: quota * savings.Seconds()} }

func (p *purse) pass(d time.Duration) {
	p.wanted *= math.Exp(-float64(d) / float64(meanOver))
	p.credit = min(p.credit+p.quota*d.Seconds(), p.quota*savings.Seconds())
}

func (p *purse) note(n, wanted float64, kept bool) {
	p.wanted += n * wanted / meanOver.Seconds()
	if kept {
		p.credit = max(p.credit-n, -p.quota*debts.Seconds())
	}
}

func (p *purse) left() float64 {
	may := max(p.quota+p.credit/payBack.Seconds(), leastOf*p.quota)
	if p.quota <= 0 || may >= p.wanted {
		return 1
	}
	return may / p.wanted
}
