package rollup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

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
	ID     string `ch:"session_id"`
	Counts bool   `ch:"counts"` // it has usage
	Care   bool   `ch:"care"`
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

// usageShape selects the parts of sql/settle_charges.sql: the sessions of which kind there are.
type usageShape struct{ Plain, Care bool }

// Made returns the parameters of the template "made_usage".
func (s usageShape) Made(plain, care, streams string) Made {
	m := Made{Streams: streams, Charges: true}
	if s.Plain {
		m.Plain = plain
	}
	if s.Care {
		m.Care = care
	}
	return m
}

// newBatch returns the batch of a month that is about to be written.
func (w *work) newBatch(month uint32) Batch {
	b := Batch{ID: newID(month, w.now()), Month: month, Created: w.now().UnixNano(), Charges: true}
	for _, table := range batchTables {
		w.own = append(w.own, stored{table, b.ID})
	}
	return b
}

// writeMonth writes a batch of the sessions whose usage and calls of models and tools began in a month.
// It writes none if there are no such sessions. It copies the calls that are kept.
func (w *work) writeMonth(ctx context.Context, month uint32, tenants []string, from *kept) error {
	b := w.newBatch(month)
	since := time.Date(int(month/100), time.Month(month%100), 1, 0, 0, 0, 0, time.UTC)
	for _, tenant := range tenants {
		a := query.Args{"tenant": tenant, "month": month, "since": since.Format(time.DateOnly), "batch": b.ID}
		sessions, err := query.Ask[ownSession](ctx, w.reader, statements, "sessions_of_month", nil, a)
		if err != nil {
			return err
		}
		if err := w.writeSessions(ctx, sessions, a, from); err != nil {
			return err
		}
	}
	found, err := w.describe(ctx, &b)
	if found {
		w.written, w.next.Batches = append(w.written, b), append(w.next.Batches, b)
	}
	return err
}

// writeRecent writes the recent batch. It writes none if no session has usage or calls.
func (w *work) writeRecent(ctx context.Context, sessions []session) error {
	if len(sessions) == 0 {
		return nil
	}
	b := w.newBatch(recentMonth)
	of := map[string][]string{}
	for _, s := range sessions {
		of[s.Tenant] = append(of[s.Tenant], s.ID)
	}
	for _, tenant := range slices.Sorted(maps.Keys(of)) {
		t, err := sessionTable("recent_sessions", of[tenant])
		if err != nil {
			return err
		}
		a := query.Args{"tenant": tenant, "batch": b.ID, "sessions": len(of[tenant])}
		with := clickhouse.Context(ctx, clickhouse.WithExternalTable(t))
		began, err := query.AskOne[struct {
			Since string `ch:"since"`
		}](with, w.reader, statements, "recent_since", nil, a)
		if err != nil {
			return err
		}
		a["since"] = began.Since
		own, err := query.Ask[ownSession](with, w.reader, statements, "sessions_of_recent", nil, a)
		if err != nil {
			return err
		}
		if err := w.writeSessions(ctx, own, a, nil); err != nil {
			return err
		}
	}
	found, err := w.describe(ctx, &b)
	if found {
		w.next.Recent = &b
	}
	return err
}

// writeSessions writes sessions of one tenant to a batch. The parameters have the tenant, the batch
// and a day before which the sessions have no usage.
func (w *work) writeSessions(ctx context.Context, sessions []ownSession, a query.Args, from *kept) error {
	if len(sessions) == 0 {
		return nil
	}
	var plain, care []string
	all := make([]string, len(sessions))
	for i, s := range sessions {
		switch all[i] = s.ID; {
		case s.Care:
			care = append(care, s.ID)
		case s.Counts:
			plain = append(plain, s.ID)
		}
	}
	all, err := w.copyCalls(ctx, all, a, from)
	if err == nil {
		err = w.writeCalls(ctx, all, a)
	}
	if err != nil {
		return err
	}
	if len(plain)+len(care) == 0 {
		return nil
	}
	return w.writeUsage(ctx, plain, care, a)
}

// callsAtOnce bounds the sessions of a statement that writes their calls, which joins them in memory
// with the times of all chunks.
const callsAtOnce = 20_000

// callTables are the tables of calls. settle_calls.sql and settle_tools.sql write them.
var callTables = []struct{ name, statement string }{
	{"settled_calls", "settle_calls"}, {"settled_tools", "settle_tools"},
}

// kept is the batch that a month had, and the sessions that changed since. The calls of the others
// are copied from it: reports read them there until now, and to make them takes far longer.
type kept struct {
	batch   string
	changed map[session]bool
}

// keptOf returns what is kept of the batch of a month; nil if there is none.
func keptOf(last *Settlement, month uint32, since []session) *kept {
	i := slices.IndexFunc(last.Batches, func(b Batch) bool { return b.Month == month })
	if i < 0 || !last.Calls {
		return nil
	}
	from := &kept{last.Batches[i].ID, make(map[session]bool, len(since))}
	for _, s := range since {
		from.changed[s] = true
	}
	return from
}

// copyCalls copies the calls of the sessions that are kept, and returns the other sessions.
func (w *work) copyCalls(ctx context.Context, sessions []string, a query.Args, from *kept) ([]string, error) {
	if from == nil {
		return sessions, nil
	}
	var same, others []string
	for _, id := range sessions {
		if s := (session{a["tenant"].(string), id}); from.changed[s] || w.deleting[s] {
			others = append(others, id)
			continue
		}
		same = append(same, id)
	}
	t, err := sessionTable("kept_sessions", same)
	if err != nil || len(same) == 0 {
		return others, err
	}
	for _, table := range callTables {
		if err := query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(t)), w.reader, statements,
			"copy_calls", table.name, a.With("from", from.batch)); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// writeCalls writes the calls of models and tools of sessions.
func (w *work) writeCalls(ctx context.Context, sessions []string, a query.Args) error {
	for part := range slices.Chunk(sessions, callsAtOnce) {
		t, err := sessionTable("unsettled_sessions", part)
		if err != nil {
			return err
		}
		for _, table := range callTables {
			if err := query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(t)), w.reader, statements,
				table.statement, nil, a.With("retry_within", RetryWithin.Nanoseconds())); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeUsage writes the usage of sessions, and the rows of the sessions themselves.
func (w *work) writeUsage(ctx context.Context, plain, care []string, a query.Args) error {
	plainTable, err := sessionTable("plain_sessions", plain)
	if err != nil {
		return err
	}
	careTable, err := sessionTable("care_sessions", care)
	if err != nil {
		return err
	}
	err = query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(plainTable, careTable)), w.reader,
		statements, "settle_charges", usageShape{Plain: len(plain) > 0, Care: len(care) > 0}, a)
	if err != nil {
		return err
	}
	if err := query.Exec(ctx, w.reader, statements, "settle_usage", nil, a); err != nil {
		return err
	}
	all, err := sessionTable("batch_sessions", append(plain, care...))
	if err != nil {
		return err
	}
	return query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(all)), w.reader, statements,
		"settle_sessions", nil, a)
}

// describe adds to a batch that was written what it holds. It returns false if it holds nothing.
func (w *work) describe(ctx context.Context, b *Batch) (bool, error) {
	if err := failpoint.Reach(ctx, stepRows); err != nil {
		return false, err
	}
	row, err := query.AskOne[batchRow](ctx, w.reader, statements, "batch", nil, query.Args{"batch": b.ID})
	if err != nil || row.Found == 0 {
		return false, err
	}
	b.Sessions, b.First, b.Last, b.Stated, b.Parts, b.Tenants = row.Sessions, row.First, row.Last, row.Stated,
		row.Parts, row.Tenants
	for _, m := range row.Models {
		provider, _ := m[0].(string)
		model, _ := m[1].(string)
		b.Models = append(b.Models, prices.Named{Provider: provider, Model: model})
	}
	return true, nil
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
	for _, table := range costTables {
		w.own = append(w.own, stored{table, b.Costs})
	}
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
	if len(w.before) == 0 && (len(w.written) == 0 || len(w.written) == len(w.next.Batches)) {
		return nil // no batch of a month was written anew, or all
	}
	rows, err := query.Ask[session](ctx, w.reader, statements, "ambiguous", nil,
		query.Args{"batches": ids(w.next.Batches), "written": ids(w.written), "replaced": ids(w.before)})
	if err != nil {
		return err
	}
	w.pend(rows)
	return nil
}
