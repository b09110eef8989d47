package live

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
)

// The usage of the sessions of a tenant is read every usageEvery, since that takes longer than the other
// statements, and takes 1/usageShare of the time at most.
const (
	usageEvery = 10 * time.Second
	usageShare = 20
)

// page is how many sessions are read at a time. A page costs nearly the same for any number.
const page = 1000

// tenantUsage is what the open sessions of a tenant have used.
type tenantUsage struct {
	at   int64 // when it was read, ns
	took time.Duration
	of   map[string]sessionUsage
}

type sessionUsage struct {
	tokens int64
	costs  map[string]decimal.Decimal
}

// addUsage sets the tokens and costs of sessions.
func (r *Reader) addUsage(tenant string, sessions []*evaluate.Session) {
	known := r.usage[tenant]
	if known == nil {
		return
	}
	for _, s := range sessions {
		s.Tokens, s.Costs = known.of[s.ID].tokens, known.of[s.ID].costs
	}
}

// UsageTook returns how long readings of usage have taken in all. They have a bound of their own.
func (r *Reader) UsageTook() time.Duration { return r.usageTook }

// readUsage reads what the open sessions of a tenant have used, unless that was read a moment ago.
func (r *Reader) readUsage(ctx context.Context, tenant string) error {
	if known := r.usage[tenant]; known != nil && r.reader.Now()-known.at < max(int64(usageEvery), usageShare*int64(known.took)) {
		return nil
	}
	began := time.Now()
	found := &tenantUsage{at: r.reader.Now(), of: map[string]sessionUsage{}}
	q := sessionlist.Query{Tenant: tenant, Limit: page}
	q.Statuses = []sessionhead.Status{sessionhead.Running, sessionhead.Quiet}
	q.Sort = sessionfilter.Sort("-last_at")
	for len(found.of) < sessionsMost {
		list, err := sessionlist.Read(ctx, r.reader, q)
		if err != nil {
			return err
		}
		for i := range list.Items {
			s := &list.Items[i]
			u := sessionUsage{tokens: s.Tokens.Total}
			if s.Cost != nil {
				u.costs = map[string]decimal.Decimal{s.Cost.Currency: s.Cost.Amount}
			}
			found.of[s.ID] = u
		}
		if list.Next == nil {
			break
		}
		q.Cursor = query.Text(list.Next)
	}
	found.took = time.Since(began)
	r.usageTook += found.took
	r.usage[tenant] = found
	return nil
}
