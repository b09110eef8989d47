package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/alerts/evaluate"
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

// usages are what the open sessions of tenants have used. Readings are beside other statements, except for the first of a
// tenant.
type usages struct {
	beside sync.WaitGroup

	mu sync.Mutex // guards of
	of map[string]*tenantUsage
}

// tenantUsage is what the open sessions of a tenant have used.
type tenantUsage struct {
	at      int64 // when it was read, ns
	took    time.Duration
	of      map[string]sessionUsage
	reading bool  // the next one is being read
	failed  error // of the last reading
}

type sessionUsage struct {
	tokens int64
	costs  map[string]decimal.Decimal
}

// Wait waits until what is read beside the calls has been read, or has ended with their contexts.
func (r *Reader) Wait() { r.usages.beside.Wait() }

// addUsage sets the tokens and costs of sessions.
func (r *Reader) addUsage(tenant string, sessions []*evaluate.Session) {
	r.usages.mu.Lock()
	defer r.usages.mu.Unlock()
	known := r.usages.of[tenant]
	if known == nil {
		return
	}
	for _, s := range sessions {
		s.Tokens, s.Costs = known.of[s.ID].tokens, known.of[s.ID].costs
	}
}

// readUsage reads what sessions of a tenant have used, unless that was read a moment ago. It returns the error of the last
// reading.
func (r *Reader) readUsage(ctx context.Context, tenant string, rows []sessionRow) error {
	u := r.usages
	u.mu.Lock()
	known := u.of[tenant]
	switch {
	case known == nil:
		u.mu.Unlock()
		return r.usageOf(ctx, tenant, rows, &tenantUsage{})
	case known.reading || known.failed == nil && r.reader.Now()-known.at < max(int64(usageEvery), usageShare*int64(known.took)):
		u.mu.Unlock()
		return nil
	}
	err := known.failed
	known.reading, known.failed = true, nil
	u.mu.Unlock()
	u.beside.Go(func() { _ = r.usageOf(ctx, tenant, rows, known) }) // known has the error
	return err
}

// usageOf reads what sessions of a tenant have used. If that fails, what is known stays.
func (r *Reader) usageOf(ctx context.Context, tenant string, rows []sessionRow, known *tenantUsage) error {
	found, err := r.askUsage(ctx, tenant, rows)
	r.usages.mu.Lock()
	defer r.usages.mu.Unlock()
	if err != nil {
		known.reading, known.failed = false, err
		return err
	}
	r.usages.of[tenant] = found
	return nil
}

func (r *Reader) askUsage(ctx context.Context, tenant string, rows []sessionRow) (*tenantUsage, error) {
	began := time.Now()
	found := &tenantUsage{at: r.reader.Now(), of: make(map[string]sessionUsage, len(rows))}
	for some := range slices.Chunk(rows, page) {
		if err := r.addPage(ctx, tenant, some, found.of); err != nil {
			return nil, err
		}
	}
	found.took = time.Since(began)
	return found, nil
}

// addPage reads what some sessions have used.
func (r *Reader) addPage(ctx context.Context, tenant string, rows []sessionRow, to map[string]sessionUsage) error {
	all := sessionfilter.Selection{Tenant: tenant}
	if err := all.Prepare(ctx, r.reader, nil); err != nil {
		return err
	}
	sessions := make([]sessionfilter.Session, len(rows))
	for i := range rows {
		sessions[i] = sessionfilter.Session{ID: rows[i].ID, Started: rows[i].Started, Last: rows[i].Last}
	}
	summaries, err := all.Summaries(ctx, r.reader, sessions)
	for id, s := range summaries {
		u := sessionUsage{tokens: s.Tokens.Total}
		if s.Cost != nil {
			u.costs = map[string]decimal.Decimal{s.Cost.Currency: s.Cost.Amount}
		}
		to[id] = u
	}
	return err
}
