package rollup

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"

	"tapedeck/internal/failpoint"
	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// monthsOf returns, for each session, the months on which it depends.
func (w *work) monthsOf(ctx context.Context, last *Settlement, sessions []session) (map[session][]uint32, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	t, err := ext.NewTable("changed", ext.Column("tenant", "String"), ext.Column("session_id", "String"))
	for i := 0; err == nil && i < len(sessions); i++ {
		err = t.Append(sessions[i].Tenant, sessions[i].ID)
	}
	if err != nil {
		return nil, fmt.Errorf("table changed for a query: %w", err)
	}
	a := query.Args{"batches": []string{}, "months": []uint32{}}
	for _, b := range last.Batches {
		a["batches"], a["months"] = append(a["batches"].([]string), b.ID), append(a["months"].([]uint32), b.Month)
	}
	rows, err := query.Ask[struct {
		session
		Months []uint32 `ch:"months"`
	}](clickhouse.Context(ctx, clickhouse.WithExternalTable(t)), w.reader, statements, "months_of_changed", nil, a)
	if err != nil {
		return nil, err
	}
	of := make(map[session][]uint32, len(rows))
	for _, row := range rows {
		of[row.session] = row.Months
	}
	return of, nil
}

// ownSession is a session of the month that is written.
type ownSession struct {
	ID   string `ch:"session_id"`
	Care bool   `ch:"care"`
}

// batchRow describes the contents of a batch.
type batchRow struct {
	Found    uint64   `ch:"found"`
	Sessions uint64   `ch:"sessions"`
	First    int64    `ch:"first_ns"`
	Last     int64    `ch:"last_ns"`
	Models   [][]any  `ch:"models"`
	Stated   bool     `ch:"stated"`
	Parts    bool     `ch:"parts"`
	Tenants  []string `ch:"tenants"`
}

// usageShape selects the conditions of sql/settle_usage.sql.
type usageShape struct{ Care bool } // some records need careful merging

// writeMonth writes a batch of the sessions whose usage began in a month. It writes none if there
// are no such sessions.
func (w *work) writeMonth(ctx context.Context, month uint32, tenants []string) error {
	b := Batch{ID: newID(month, w.now()), Month: month, Created: w.now().UnixNano()}
	for _, tenant := range tenants {
		a := query.Args{"tenant": tenant, "month": month, "batch": b.ID}
		sessions, err := query.Ask[ownSession](ctx, w.reader, statements, "sessions_of_month", nil, a)
		if err != nil {
			return err
		}
		if len(sessions) == 0 {
			continue
		}
		var plain, care []string
		for _, s := range sessions {
			if s.Care {
				care = append(care, s.ID)
				continue
			}
			plain = append(plain, s.ID)
		}
		plainTable, err := sessionTable("plain_sessions", plain)
		if err != nil {
			return err
		}
		careTable, err := sessionTable("care_sessions", care)
		if err != nil {
			return err
		}
		err = query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(plainTable, careTable)), w.reader,
			statements, "settle_usage", usageShape{Care: len(care) > 0}, a)
		if err != nil {
			return err
		}
		all, err := sessionTable("batch_sessions", append(plain, care...))
		if err != nil {
			return err
		}
		if err := query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(all)), w.reader, statements,
			"settle_sessions", nil, a); err != nil {
			return err
		}
	}
	if err := failpoint.Reach(ctx, stepRows); err != nil {
		return err
	}
	row, err := query.AskOne[batchRow](ctx, w.reader, statements, "batch", nil, query.Args{"batch": b.ID})
	if err != nil || row.Found == 0 {
		return err
	}
	b.Sessions, b.First, b.Last, b.Stated, b.Parts, b.Tenants = row.Sessions, row.First, row.Last, row.Stated,
		row.Parts, row.Tenants
	for _, m := range row.Models {
		provider, _ := m[0].(string)
		model, _ := m[1].(string)
		b.Models = append(b.Models, prices.Named{Provider: provider, Model: model})
	}
	w.written, w.next.Batches = append(w.written, b), append(w.next.Batches, b)
	return nil
}

// costShape selects the conditions of sql/cost_cells.sql and sql/settle_model_costs.sql.
type costShape struct {
	Tags      []string // tags on which prices depend
	PartRates []string
}

// price writes the costs of a batch by the current price table, unless they are stored.
func (w *work) price(ctx context.Context, b *Batch) error {
	hash := w.prices.Hash()
	if b.Prices == hash && b.ByModel {
		return nil
	}
	w.next.retireCosts(b.Costs, w.now())
	b.Costs, b.Prices, b.ByModel, w.changed = newID(b.Month, w.now()), hash, true, true
	for _, tenant := range b.Tenants {
		p := &cost.Pricer{Table: w.prices, Tenant: tenant, Split: cost.SplitFor(b.Models, w.prices)}
		shape := costShape{Tags: p.Split.Tags}
		a := query.TagArgs(shape.Tags).And(p.Split.Parameters()).And(query.Args{"tenant": tenant, "batch": b.ID,
			"costs": b.Costs})
		cells, err := query.Ask[HashedCell](ctx, w.reader, statements, "cost_cells", shape, a)
		if err != nil {
			return err
		}
		rates, parts, err := RatesTable(cells, p)
		if err != nil {
			return err
		}
		shape.PartRates = parts
		if err := query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(rates)), w.reader, statements,
			"settle_model_costs", shape, a); err != nil {
			return err
		}
		if err := query.Exec(ctx, w.reader, statements, "settle_costs", nil, a); err != nil {
			return err
		}
	}
	return failpoint.Reach(ctx, stepCosts)
}

// findAmbiguous adds to the pending sessions those that no batch or several batches contain,
// although nothing was inserted for them.
func (w *work) findAmbiguous(ctx context.Context) error {
	ids := func(list []Batch) []string {
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].ID
		}
		return names
	}
	if len(w.before) == 0 && len(w.written) == len(w.next.Batches) {
		return nil // all batches were written anew
	}
	rows, err := query.Ask[session](ctx, w.reader, statements, "ambiguous", nil,
		query.Args{"batches": ids(w.next.Batches), "written": ids(w.written), "replaced": ids(w.before)})
	if err != nil {
		return err
	}
	w.pend(rows)
	return nil
}
