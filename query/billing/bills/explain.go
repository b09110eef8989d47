package bills

import (
	"context"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
)

// explain sets the cause of each difference that a comparison found. bills are the bills that were
// compared: a redecode counts if it began after the last of them was closed. hash is the hash of
// the price table of the comparison.
func (c *computation) explain(ctx context.Context, p *Period, r *compared, bills []Bill, hash string) error {
	redecoded, err := c.redecoded(ctx, bills)
	if err != nil {
		return err
	}
	gone := map[string]*difference{}
	var late []*difference
	for i := range r.list {
		switch d := &r.list[i]; {
		case len(d.now) == 0:
			gone[d.chargeID] = d
		case len(differences(d.before, nil)) == 0:
			d.why = Late
			late = append(late, d)
		default:
			d.why = r.why(d.before, d.now, redecoded[d.session], d.hash == hash)
		}
	}
	if err := c.explainLate(ctx, late); err != nil || len(gone) == 0 {
		return err
	}
	deleted, err := c.deleted(ctx, gone)
	if err != nil {
		return err
	}
	moved, err := c.moved(ctx, p, gone)
	if err != nil {
		return err
	}
	for id, d := range gone {
		switch {
		case moved[id]:
			d.why = MovedOut
		case deleted(d):
			d.why = Deleted
		case redecoded[d.session]:
			d.why = Redecoded
		default:
			d.why = Changed
		}
	}
	return nil
}

// clockSkew is how long before a close a redecode may have begun and still count as later, since
// its results may have been committed after the close.
const clockSkew = time.Hour

// redecoded returns the sessions that were decoded anew since the last of the bills was closed.
func (c *computation) redecoded(ctx context.Context, bills []Bill) (map[string]bool, error) {
	var last time.Time
	for i := range bills {
		if at := bills[i].ClosedAt; at != nil && at.After(last) {
			last = *at
		}
	}
	rows, err := query.Ask[sessionRow](ctx, c.store.reader, statements, "redecoded_sessions", nil,
		query.Args{"tenant": c.tenant, "since": uint64(max(0, last.Add(-clockSkew).UnixNano()))})
	if err != nil {
		return nil, err
	}
	return setOf(rows), nil
}

func setOf(rows []sessionRow) map[string]bool {
	set := map[string]bool{}
	for _, row := range rows {
		set[row.ID] = true
	}
	return set
}

type chargeRow struct {
	ID string `ch:"charge_id"`
}

// explainLate finds, among charges that look late, those that were billed to another account
// before.
func (c *computation) explainLate(ctx context.Context, late []*difference) error {
	for some := range slices.Chunk(late, chargesAtOnce) {
		byID := map[string]*difference{}
		ids := make([]string, len(some))
		for i, d := range some {
			ids[i], byID[d.chargeID] = d.chargeID, d
		}
		rows, err := query.Ask[chargeRow](ctx, c.store.reader, statements, "billed_elsewhere", nil,
			query.Args{"tenant": c.tenant, "account": c.account.ID, "charges": ids})
		if err != nil {
			return err
		}
		for _, row := range rows {
			byID[row.ID].why = MovedIn
		}
	}
	return nil
}

type deletedRow struct {
	Session string   `ch:"session_id"`
	Until   string   `ch:"last"`
	Streams []string `ch:"listed"`
}

// deleted returns a function that reports whether the stream of a charge was deleted or nothing of
// its session is stored any more.
func (c *computation) deleted(ctx context.Context, gone map[string]*difference) (func(*difference) bool, error) {
	var sessions []string
	for _, d := range gone {
		sessions = append(sessions, d.session)
	}
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	stored, deleted := map[string]bool{}, map[string]deletedRow{}
	for some := range slices.Chunk(sessions, chargesAtOnce) {
		args := query.Args{"tenant": c.tenant, "sessions": some}
		rows, err := query.Ask[sessionRow](ctx, c.store.reader, statements, "stored_sessions", nil, args)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			stored[row.ID] = true
		}
		tombstones, err := query.Ask[deletedRow](ctx, c.store.reader, statements, "deleted_streams", nil, args)
		if err != nil {
			return nil, err
		}
		for _, t := range tombstones {
			deleted[t.Session] = t
		}
	}
	return func(d *difference) bool {
		t, ok := deleted[d.session]
		return !stored[d.session] || ok && (d.stream <= t.Until || slices.Contains(t.Streams, d.stream))
	}, nil
}

// moved returns the charges that now belong to another account or to none.
func (c *computation) moved(ctx context.Context, p *Period, gone map[string]*difference) (map[string]bool, error) {
	var sessions []string
	for _, d := range gone {
		sessions = append(sessions, d.session)
	}
	slices.Sort(sessions)
	moved := map[string]bool{}
	q := charges.Query{Tenant: c.tenant, From: p.Start, To: p.End, SessionIDs: slices.Compact(sessions)}
	err := charges.Each(ctx, c.store.reader, q, func(charge *charges.Charge) error {
		if gone[charge.ChargeID] != nil {
			moved[charge.ChargeID] = true
		}
		return nil
	})
	return moved, err
}
