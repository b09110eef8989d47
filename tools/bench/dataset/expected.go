package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/schema"
)

// Sum holds the totals of some calls. Cost is the sum of the costs of the single calls.
type Sum struct {
	Calls  uint64          `json:"calls"`
	Tokens schema.Tokens   `json:"tokens"`
	Cost   decimal.Decimal `json:"cost"`
}

// Add adds other calls.
func (s *Sum) Add(o Sum) {
	t := &s.Tokens
	s.Calls += o.Calls
	t.Input, t.CacheRead = t.Input+o.Tokens.Input, t.CacheRead+o.Tokens.CacheRead
	t.Output, t.Reasoning = t.Output+o.Tokens.Output, t.Reasoning+o.Tokens.Reasoning
	s.Cost = s.Cost.Add(o.Cost)
}

// Key is a group of a report: a day ("2026-06-01") by team, or a month ("2026-06") by
// customer.
type Key struct {
	Period string `json:"period"`
	Tag    string `json:"tag"`
	Model  string `json:"model"`
}

// SessionCost is the cost of a session.
type SessionCost struct {
	ID   string          `json:"id"`
	Cost decimal.Decimal `json:"cost"`
}

// Expected holds the totals of a data set, counted where its frames are written.
type Expected struct {
	Sessions uint64 `json:"sessions"`
	Streams  uint64 `json:"streams"`
	Frames   uint64 `json:"frames"` // as stored, including the second streams of sessions
	Bytes    uint64 `json:"bytes"`
	Turns    uint64 `json:"turns"`
	Total    Sum    `json:"total"`

	ByDay   map[Key]*Sum  `json:"-"` // by day, team and model
	ByMonth map[Key]*Sum  `json:"-"` // by month, customer and model
	Costly  []SessionCost `json:"costly"`
}

// costlyKept is the number of the costliest sessions that are kept.
const costlyKept = 100

func newExpected() *Expected {
	return &Expected{ByDay: map[Key]*Sum{}, ByMonth: map[Key]*Sum{}}
}

// pricer prices calls individually.
type pricer struct{ table *prices.Effective }

func (p *pricer) cost(c *Call) (decimal.Decimal, error) {
	q := cost.Quantities{
		Calls: 1, Input: int64(c.Tokens.Input), CacheRead: int64(c.Tokens.CacheRead),
		Output: int64(c.Tokens.Output), Reasoning: int64(c.Tokens.Reasoning),
	}
	priced, err := p.table.Price(prices.Call{
		Provider: c.Model.Provider, Model: c.Model.Name, At: time.Unix(0, c.At).UTC(), Tenant: Tenant,
	}, q.Usage())
	if err != nil {
		return decimal.Decimal{}, err
	}
	return priced.Total, nil
}

// session counts a session. later is the delay of a second recording, ns, by which its stored usage
// is later.
func (e *Expected) session(s *session, w *writer, p *pricer, later int64) error {
	e.Sessions++
	e.Turns += uint64(len(s.turns))
	streams := uint64(1)
	if s.again != "" {
		streams++
	}
	e.Streams += streams
	e.Frames += streams * uint64(len(w.frames))
	e.Bytes += streams * uint64(len(w.raw))
	total := decimal.Decimal{}
	for i := range w.calls {
		call := w.calls[i]
		call.At += later
		priced, err := p.cost(&call)
		if err != nil {
			return fmt.Errorf("price a call of %s/%s: %w", call.Model.Provider, call.Model.Name, err)
		}
		one := Sum{Calls: 1, Tokens: call.Tokens, Cost: priced}
		at := time.Unix(0, call.At).UTC()
		e.Total.Add(one)
		add(e.ByDay, Key{at.Format(time.DateOnly), call.Tags.Team, call.Model.Name}, one)
		add(e.ByMonth, Key{at.Format("2006-01"), call.Tags.Customer, call.Model.Name}, one)
		total = total.Add(priced)
	}
	e.costly(SessionCost{s.id, total})
	return nil
}

func add(to map[Key]*Sum, key Key, s Sum) {
	if to[key] == nil {
		to[key] = &Sum{}
	}
	to[key].Add(s)
}

// costly keeps a session if it is among the costliest, which are in descending order.
func (e *Expected) costly(s SessionCost) {
	i, _ := slices.BinarySearchFunc(e.Costly, s, func(a, b SessionCost) int {
		return cmp.Or(b.Cost.Cmp(a.Cost), cmp.Compare(a.ID, b.ID))
	})
	if i < costlyKept {
		e.Costly = slices.Insert(e.Costly, i, s)
		e.Costly = e.Costly[:min(len(e.Costly), costlyKept)]
	}
}

// merge adds the totals that another goroutine has counted for other sessions.
func (e *Expected) merge(o *Expected) {
	e.Sessions, e.Streams, e.Turns = e.Sessions+o.Sessions, e.Streams+o.Streams, e.Turns+o.Turns
	e.Frames, e.Bytes = e.Frames+o.Frames, e.Bytes+o.Bytes
	e.Total.Add(o.Total)
	for key, s := range o.ByDay {
		add(e.ByDay, key, *s)
	}
	for key, s := range o.ByMonth {
		add(e.ByMonth, key, *s)
	}
	for _, s := range o.Costly {
		e.costly(s)
	}
}
