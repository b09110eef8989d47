package usagerecord

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
)

// Spending is the usage of a session and what each record adds to it.
type Spending struct {
	Sum  cost.UsageTotals
	Adds []Addition // in order of time, without duplicates
}

// Addition is what a record adds to a sum.
type Addition struct {
	SpanID string
	Tokens cost.Tokens
	Cost   *cost.Money // nil if unknown
}

// SpendingOf returns the spending of sessions, read with one statement. It leaves out the other
// values that sources state, which take most of the memory of a long session.
func SpendingOf(
	ctx context.Context, r *query.Reader, tenant string, sessions ...*sessionstreams.Row,
) ([]Spending, error) {
	lists, err := ofSessions(ctx, r, tenant, usageShape{WithoutRaw: true}, sessions...)
	if err != nil {
		return nil, err
	}
	all := make([]Spending, len(lists))
	for i, records := range lists {
		all[i] = SpendingIn(records)
	}
	return all, nil
}

// SpendingIn returns the spending of a session with these records.
func SpendingIn(records []Record) Spending {
	s := Spending{Sum: TotalsOf(records), Adds: make([]Addition, 0, len(records))}
	for i := range records {
		if !records[i].Duplicate {
			s.Adds = append(s.Adds, Addition{records[i].SpanID, records[i].Tokens, records[i].Cost})
		}
	}
	return s
}
