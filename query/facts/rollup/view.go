package rollup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"

	"tapedeck/query"
)

var statements = query.Statements("facts/rollup")

// unsettledMost is the largest number of unsettled sessions of a tenant for which a view is used.
// If there are more, it is cheaper to read all sessions from the tables.
const unsettledMost = 20_000

// View is the settled usage of a tenant in a range, with the calls of models and tools.
type View struct {
	// All reports that nothing is settled, or too little: all sessions are read from the tables.
	All     bool
	Batches []Batch // none if the range has none; the recent one, if any, is the last
	// Unsettled are the sessions whose settled rows must be ignored.
	Unsettled []string
	// Calls reports that the batches have the calls of models and tools too.
	Calls bool
	// Made are the sessions whose rows in the batches of months must be ignored: the recent batch
	// has them.
	Made []string
}

// Recent returns the recent batch; an empty one if the range has none.
func (v *View) Recent() Batch {
	if n := len(v.Batches); n > 0 && v.Batches[n-1].Month == recentMonth {
		return v.Batches[n-1]
	}
	return Batch{}
}

// Of returns the view of some sessions only.
func (v *View) Of(sessions []string) *View {
	if v.All {
		return v
	}
	set := make(map[string]bool, len(sessions))
	for _, id := range sessions {
		set[id] = true
	}
	not := func(id string) bool { return !set[id] }
	return &View{Batches: v.Batches, Calls: v.Calls, Unsettled: slices.DeleteFunc(slices.Clone(v.Unsettled), not),
		Made: slices.DeleteFunc(slices.Clone(v.Made), not)}
}

// Read returns the settled usage of a tenant in a range, in which nil means no limit.
func Read(ctx context.Context, r *query.Reader, tenant string, from, to *time.Time) (*View, error) {
	if r.Unsettled() {
		return &View{All: true}, nil
	}
	s, err := readState(ctx, r, tenant)
	if err != nil {
		return nil, err
	}
	if s.last == nil {
		return &View{All: true}, nil
	}
	sessions, err := s.unsettled(ctx, r, tenant, unsettledMost+1)
	if err != nil {
		return nil, err
	}
	if len(sessions) > unsettledMost || slices.ContainsFunc(sessions, session.isTenant) {
		return &View{All: true}, nil
	}
	v := &View{Batches: s.last.within(from, to), Calls: s.last.Calls}
	for _, of := range sessions {
		v.Unsettled = append(v.Unsettled, of.ID)
	}
	for _, of := range s.made {
		v.Made = append(v.Made, of.ID)
	}
	return v, nil
}

// ReadCalls is Read for the calls of models and tools, which settlements of earlier programs lack.
func ReadCalls(ctx context.Context, r *query.Reader, tenant string, from, to *time.Time) (*View, error) {
	v, err := Read(ctx, r, tenant, from, to)
	if err == nil && !v.Calls {
		v = &View{All: true}
	}
	return v, err
}

// accessDenied is ClickHouse's error code for a missing privilege.
const accessDenied = 497

// readState reads the last settlement with the pending sessions of a tenant, or of all tenants for
// "". If the user may not read the system tables, nothing counts as settled.
func readState(ctx context.Context, r *query.Reader, tenant string) (*state, error) {
	row, err := query.AskOne[stateRow](ctx, r, statements, "state", stateShape{Pending: tenant == "", Sharded: r.Sharded()},
		query.Args{"tenant": tenant, "tables": sources})
	if refused, ok := errors.AsType[*clickhouse.Exception](err); ok && refused.Code == accessDenied {
		return &state{}, nil
	}
	if err != nil {
		return nil, err
	}
	return row.state()
}

// stateShape selects the columns of sql/state.sql.
type stateShape struct {
	Pending bool // the pending sessions of all tenants
	Sharded bool // the tables are on the shards of a cluster
}

// changedShape selects the conditions of sql/changed.sql.
type changedShape struct {
	Tables   []string
	OfTenant bool
	Sharded  bool // the parameters have a number for each shard
}

// Block returns the parameter with the last settled insert of a table.
func (s changedShape) Block(table string) string {
	if s.Sharded {
		return "{block_" + table + ":Array(UInt64)}[_shard_num]"
	}
	return "{block_" + table + ":UInt64}"
}

// unsettled returns the sessions of a tenant, or of all tenants for "", that are not settled. It
// reads at most limit changed sessions.
func (s *state) unsettled(ctx context.Context, r *query.Reader, tenant string, limit int) ([]session, error) {
	list := s.pending
	changed := s.changed()
	if len(changed) == 0 {
		return list, nil
	}
	a := query.Args{"tenant": tenant, "limit": limit}
	for _, table := range changed {
		if r.Sharded() {
			a["block_"+table] = s.last.shardBlocks(table)
		} else {
			a["block_"+table] = s.last.Blocks[table]
		}
	}
	rows, err := query.Ask[session](ctx, r, statements, "changed", changedShape{changed, tenant != "", r.Sharded()}, a)
	if err != nil {
		return nil, err
	}
	known := make(map[session]bool, len(list))
	for _, of := range list {
		known[of] = true
	}
	for _, of := range rows {
		if !known[of] {
			list = append(list, of)
		}
	}
	return list, nil
}

// HasCharges reports whether usage is settled and settled_charges has all batches.
func (v *View) HasCharges() bool {
	return !v.All && !slices.ContainsFunc(v.Batches, Batch.lacksCharges)
}

// IDs returns the ids of the batches.
func (v *View) IDs() []string {
	list := make([]string, len(v.Batches))
	for i := range v.Batches {
		list[i] = v.Batches[i].ID
	}
	return list
}

// IsUnsettled returns a function that reports whether a session is unsettled.
func (v *View) IsUnsettled() func(session string) bool {
	if v.All {
		return func(string) bool { return true }
	}
	set := make(map[string]bool, len(v.Unsettled))
	for _, id := range v.Unsettled {
		set[id] = true
	}
	return func(session string) bool { return set[session] }
}

// Costs returns the ids of the batches of costs by a price table; false if not all batches have
// them.
func (v *View) Costs(hash string) ([]string, bool) {
	if v.All {
		return nil, false
	}
	list := make([]string, len(v.Batches))
	for i := range v.Batches {
		if v.Batches[i].Prices != hash {
			return nil, false
		}
		list[i] = v.Batches[i].Costs
	}
	return list, true
}

// Tables returns the external tables unsettled_sessions and made_sessions, which are missing if they
// are empty.
func (v *View) Tables() (tables []*ext.Table, _ error) {
	for _, of := range []struct {
		name string
		ids  []string
	}{{"unsettled_sessions", v.Unsettled}, {"made_sessions", v.Made}} {
		if len(of.ids) == 0 {
			continue
		}
		t, err := sessionTable(of.name, of.ids)
		if err != nil {
			return nil, fmt.Errorf("table %s for a query: %w", of.name, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func sessionTable(name string, ids []string) (*ext.Table, error) {
	t, err := ext.NewTable(name, ext.Column("session_id", "String"))
	for i := 0; err == nil && i < len(ids); i++ {
		err = t.Append(ids[i])
	}
	return t, err
}
