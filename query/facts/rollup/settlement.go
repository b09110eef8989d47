package rollup

import (
	"encoding/json"
	"slices"
	"time"

	"tapedeck/query/pricing/prices"
)

// form is increased when a migration requires that batches are written anew.
const form = 3

// tables lists the tables on which usage depends.
var tables = []string{"expirations", "redecodes", "restores", "streams", "tombstones", "usage"}

// costTables are the tables of the costs of batches.
var costTables = []string{"settled_costs", "settled_model_costs"}

// Batch identifies a set of rows of the table settled_usage: the sessions whose usage began in a
// month.
type Batch struct {
	ID       string `json:"id"`
	Month    uint32 `json:"month"` // in UTC, such as 202610
	Created  int64  `json:"created"`
	Sessions uint64 `json:"sessions"`
	// First and Last are the times of the first and the last record, ns.
	First   int64          `json:"first"`
	Last    int64          `json:"last"`
	Models  []prices.Named `json:"models"`
	Tenants []string       `json:"tenants"`
	Stated  bool           `json:"stated"` // whether a source states a cost
	Parts   bool           `json:"parts"`  // whether records have parts, see cost.Parts
	// Costs is the id of the batch of settled_costs with the costs by the price table Prices. If
	// ByModel is set, settled_model_costs has a batch with this id too; programs without ByModel
	// write only the former.
	Costs   string `json:"costs"`
	Prices  string `json:"prices"`
	ByModel bool   `json:"by_model"`
}

// Settlement describes which usage is settled.
type Settlement struct {
	// Form is the form of the tables for which the settlement was made. A settlement of another
	// form is ignored.
	Form     int               `json:"form"`
	Identity string            `json:"identity"` // identity of the source tables
	Blocks   map[string]uint64 `json:"blocks"`   // number of the last included insert of each source table
	Batches  []Batch           `json:"batches"`
	Retired  []retired         `json:"retired"` // batches that were replaced
}

// retired is a replaced batch that is removed when no statement reads it any more.
type retired struct {
	Table string `json:"table"`
	Batch string `json:"batch"`
	At    int64  `json:"at"`
}

// session is a session of a tenant.
type session struct {
	Tenant string `ch:"tenant"`
	ID     string `ch:"session_id"`
}

// isTenant reports whether s stands for all sessions of the tenant: a tombstone without a session
// covers all.
func (s session) isTenant() bool { return s.ID == "" }

// stateRow is a row of sql/state.sql.
type stateRow struct {
	ID       uint64   `ch:"id"`
	Content  string   `ch:"content"`
	Pending  [][]any  `ch:"pending"`
	Identity string   `ch:"identity"`
	Names    []string `ch:"names"`
	Blocks   []uint64 `ch:"blocks"`
}

// state is the state of the source tables, with the last settlement.
type state struct {
	id       uint64      // id of the last settlement, valid or not
	last     *Settlement // nil if there is no valid one
	pending  []session
	identity string
	blocks   map[string]uint64
}

func (row *stateRow) state() (*state, error) {
	s := &state{id: row.ID, identity: row.Identity, blocks: map[string]uint64{}}
	for i, name := range row.Names {
		s.blocks[name] = row.Blocks[i]
	}
	for _, p := range row.Pending {
		tenant, _ := p[0].(string)
		id, _ := p[1].(string)
		s.pending = append(s.pending, session{tenant, id})
	}
	if row.Content == "" {
		return s, nil
	}
	last := &Settlement{}
	if err := json.Unmarshal([]byte(row.Content), last); err != nil {
		return nil, err
	}
	// Insert numbers only grow, unless the tables were replaced by other tables.
	holds := last.Form == form && last.Identity == s.identity
	for table, block := range last.Blocks {
		holds = holds && s.blocks[table] >= block
	}
	if holds {
		s.last = last
	}
	return s, nil
}

// changed returns the tables with inserts after the last settlement.
func (s *state) changed() []string {
	return slices.DeleteFunc(slices.Clone(tables), func(t string) bool { return s.blocks[t] <= s.last.Blocks[t] })
}

// within returns the batches with records in a range; nil means no limit.
func (s *Settlement) within(from, to *time.Time) []Batch {
	return slices.DeleteFunc(slices.Clone(s.Batches), func(b Batch) bool {
		return from != nil && b.Last < from.UnixNano() || to != nil && b.First >= to.UnixNano()
	})
}
