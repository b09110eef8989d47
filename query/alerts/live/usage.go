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

// usageEvery is how often the usage of the sessions of a tenant is read, which takes longer than the other
// statements.
const usageEvery = 10 * time.Second

// page is how many sessions are read at a time.
const page = 200

// tenantUsage is what the open sessions of a tenant have used.
type tenantUsage struct {
	at int64 // when it was read, ns
	of map[string]sessionUsage
}

type sessionUsage struct {
	tokens int64
	costs  map[string]decimal.Decimal
}

// addUsage sets the tokens and costs of sessions.
func (r *Reader) addUsage(ctx context.Context, tenant string, sessions map[string]*evaluate.Session) error {
	known := r.usage[tenant]
	if known == nil || r.reader.Now()-known.at >= int64(usageEvery) {
		var err error
		if known, err = r.readUsage(ctx, tenant); err != nil {
			return err
		}
		r.usage[tenant] = known
	}
	for id, s := range sessions {
		s.Tokens, s.Costs = known.of[id].tokens, known.of[id].costs
	}
	return nil
}

func (r *Reader) readUsage(ctx context.Context, tenant string) (*tenantUsage, error) {
	found := &tenantUsage{at: r.reader.Now(), of: map[string]sessionUsage{}}
	q := sessionlist.Query{Tenant: tenant, Limit: page}
	q.Statuses = []sessionhead.Status{sessionhead.Running, sessionhead.Quiet}
	q.Sort = sessionfilter.Sort("-last_at")
	for len(found.of) < sessionsMost {
		list, err := sessionlist.Read(ctx, r.reader, q)
		if err != nil {
			return nil, err
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
	return found, nil
}
