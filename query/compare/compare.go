package compare

import (
	"context"
	"fmt"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/compare/difference"
	"tapedeck/query/compare/normalise"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/pricing/cost"
)

// Bounds of the number of compared steps of each session.
const (
	DefaultSteps = 5000
	MostSteps    = 10000
)

// Query selects two sessions and the form of the answer.
type Query struct {
	Tenant, A, B string
	Steps        int  // maximum number of steps of each session
	Exact        bool // ids and times are compared too
	Brief        bool // the answer has no rows
	// Row selects one row, which is returned with its details. No row is selected if it is
	// negative.
	Row int
}

// Read compares two sessions.
func Read(ctx context.Context, r *query.Reader, q Query) (*Comparison, error) {
	factsA, factsB, err := load(ctx, r, &q)
	if err != nil {
		return nil, err
	}
	return between(factsA, factsB, &q, r.QuietAfter(), r.Now())
}

// between compares two sessions by their facts, at a time, ns.
func between(factsA, factsB *facts, q *Query, quietAfter time.Duration, now int64) (*Comparison, error) {
	a, b := build(factsA, q.Steps), build(factsB, q.Steps)
	n := &normalise.Normaliser{Ignore: !q.Exact, Counts: map[normalise.Rule]int{}}
	shared := sharedAgents(a, b)
	identify(a.roots, n, shared)
	identify(b.roots, n, shared)
	rows := alignSteps(make([]Row, 0, max(len(a.all), len(b.all))), a.roots, b.roots, 0)
	c := &Comparison{A: a.side(quietAfter, now), B: b.side(quietAfter, now), Steps: rows, Agents: renamedAgents(rows), Ignored: []Ignored{}}
	for i := range rows {
		rows[i].fill(i, a, b)
	}
	c.FirstDivergence = diverge(rows)
	c.summarise(q.A == q.B)
	for _, rule := range normalise.Rules {
		if k := n.Counts[rule]; k > 0 {
			c.Ignored = append(c.Ignored, Ignored{rule, k})
		}
	}
	switch {
	case q.Row >= len(rows):
		return nil, problem.BadParameter("row",
			fmt.Sprintf("row %d does not exist: the comparison has %d rows.", q.Row, len(rows)))
	case q.Row >= 0:
		row := rows[q.Row]
		row.Detail = row.detail(n)
		c.Steps = []Row{row}
	case q.Brief:
		c.Steps = []Row{}
	}
	for i := range c.Steps {
		c.Steps[i].a, c.Steps[i].b = nil, nil // release the steps that were read: the answer does not need them
	}
	return c, nil
}

// side describes one session.
func (s *session) side(quietAfter time.Duration, now int64) Side {
	f := s.facts
	head := sessionhead.Summarize(f.streams, quietAfter, sessionhead.CountSpans(f.spans), now)
	side := Side{
		SessionID: head.ID, Title: head.Title, Status: head.Status, Started: head.Started, DurationMS: head.DurationMS,
		Dialects: head.Dialects, Steps: len(s.all), Truncated: s.truncated,
	}
	for _, st := range s.all {
		side.Time.add(&st.split)
	}
	if spent := &f.usage.Sum; spent.Reported() {
		side.Tokens, side.Cost = &spent.Tokens, spent.Cost
	}
	return side
}

// fill sets the fields of a row from its two steps.
func (r *Row) fill(index int, a, b *session) {
	r.Index = index
	if r.a != nil {
		r.A = r.a.of(a)
	}
	if r.b != nil {
		r.B = r.b.of(b)
	}
	if r.a != nil && r.b != nil {
		r.Difference = &Delta{
			DurationMS: longer(r.B.DurationMS, r.A.DurationMS), Time: r.B.Time.minus(r.A.Time),
			Tokens: moreTokens(r.A.Tokens, r.B.Tokens), Cost: moreCost(r.A.Cost, r.B.Cost),
		}
	}
}

func (st *step) of(s *session) *StepOf {
	o := &StepOf{
		Number: st.number, ID: st.id, Position: st.position.String(),
		StartMS: query.Millis(st.begin - s.facts.streams.Started),
		Status:  st.status, Agent: st.agent, Error: st.err,
		Excerpt: difference.Clip(st.said(), excerptBytes), Time: st.split, Totals: totalsOf(st),
	}
	if st.end != 0 {
		o.DurationMS = query.KnownMillis(st.end-st.begin, true)
	}
	return o
}

// said returns the text of a step that is shown: its arguments or its message.
func (st *step) said() string {
	for _, c := range []*content{&st.arguments, &st.text, &st.thinking, &st.result} {
		if !c.empty() {
			return c.text
		}
	}
	return st.err
}

func moreTokens(a, b *cost.Tokens) *int64 {
	if a == nil || b == nil {
		return nil
	}
	more := b.Total - a.Total
	return &more
}

func moreCost(a, b *cost.Money) *cost.Money {
	if a == nil || b == nil || a.Currency != b.Currency {
		return nil
	}
	return &cost.Money{Amount: b.Amount.Sub(a.Amount), Currency: a.Currency}
}
