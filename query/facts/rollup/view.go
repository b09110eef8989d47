package rollup

import (
	"context"
	"errors"
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

// View is the settled usage of a tenant in a range.
type View struct {
	Batches []Batch // none if the range has none
	// Unsettled are the sessions whose settled rows must be ignored.
	Unsettled []string
}

// Read returns the settled usage of a tenant in a range, in which nil means no limit. It returns
// nil if nothing, or too little, is settled.
func Read(ctx context.Context, r *query.Reader, tenant string, from, to *time.Time) (*View, error) {
	if r.Unsettled() {
		return nil, nil
	}
	s, err := readState(ctx, r, tenant)
	if err != nil || s.last == nil {
		return nil, err
	}
	sessions, err := s.unsettled(ctx, r, tenant, unsettledMost+1)
	if err != nil || len(sessions) > unsettledMost || slices.ContainsFunc(sessions, session.isTenant) {
		return nil, err
	}
	v := &View{Batches: s.last.within(from, to)}
	for _, of := range sessions {
		v.Unsettled = append(v.Unsettled, of.ID)
	}
	return v, nil
}

// accessDenied is ClickHouse's error code for a missing privilege.
const accessDenied = 497

// readState reads the last settlement with the pending sessions of a tenant, or of all tenants for
// "". If the user may not read the system tables, nothing counts as settled.
func readState(ctx context.Context, r *query.Reader, tenant string) (*state, error) {
	row, err := query.AskOne[stateRow](ctx, r, statements, "state", stateShape{Pending: tenant == ""},
		query.Args{"tenant": tenant, "tables": tables})
	if refused, ok := errors.AsType[*clickhouse.Exception](err); ok && refused.Code == accessDenied {
		return &state{}, nil
	}
	if err != nil {
		return nil, err
	}
	return row.state()
}

type stateShape struct{ Pending bool }

// changedShape selects the conditions of sql/changed.sql.
type changedShape struct {
	Tables   []string
	OfTenant bool
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
		a["block_"+table] = s.last.Blocks[table]
	}
	rows, err := query.Ask[session](ctx, r, statements, "changed", changedShape{changed, tenant != ""}, a)
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
	set := make(map[string]bool, len(v.Unsettled))
	for _, id := range v.Unsettled {
		set[id] = true
	}
	return func(session string) bool { return set[session] }
}

// Costs returns the ids of the batches of costs by a price table; false if not all batches have
// them.
func (v *View) Costs(hash string) ([]string, bool) {
	list := make([]string, len(v.Batches))
	for i := range v.Batches {
		if v.Batches[i].Prices != hash {
			return nil, false
		}
		list[i] = v.Batches[i].Costs
	}
	return list, true
}

// Table returns the unsettled sessions as the external table unsettled_sessions.
func (v *View) Table() (*ext.Table, error) { return sessionTable("unsettled_sessions", v.Unsettled) }

func sessionTable(name string, ids []string) (*ext.Table, error) {
	t, err := ext.NewTable(name, ext.Column("session_id", "String"))
	for i := 0; err == nil && i < len(ids); i++ {
		err = t.Append(ids[i])
	}
	return t, err
}
