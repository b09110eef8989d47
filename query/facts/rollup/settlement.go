package rollup

import (
	"encoding/json"
	"slices"
	"time"

	"tapedeck/query/pricing/prices"
)

// form is increased when batches are to be written anew because of a migration.
const form = 3

// tables are those that usage depends on.
var tables = []string{"expirations", "redecodes", "restores", "streams", "tombstones", "usage"}

// costTables have the costs of batches.
var costTables = []string{"settled_costs", "settled_model_costs"}

// Batch is a set of rows of the table settled_usage: the sessions whose usage began in a month.
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
	Stated  bool           `json:"stated"` // a source states a cost
	Parts   bool           `json:"parts"`  // records have parts: see cost.Parts
	// Costs is the batch of settled_costs with the costs by the price table Prices, and also of
	// settled_model_costs if ByModel is set: programs of before it write the former alone.
	Costs   string `json:"costs"`
	Prices  string `json:"prices"`
	ByModel bool   `json:"by_model"`
}

// Settlement says what is settled.
type Settlement struct {
	// Form is the form of the tables of batches that the settlement was made with; one of another
	// form does not hold.
	Form     int               `json:"form"`
	Identity string            `json:"identity"` // of the tables that it was made from
	Blocks   map[string]uint64 `json:"blocks"`   // the last insert of each
	Batches  []Batch           `json:"batches"`
	Retired  []retired         `json:"retired"` // batches that were replaced
}

// retired is a batch that is removed once nothing reads it any more.
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

// isTenant reports whether all sessions of the tenant are meant: a tombstone without a session
// covers all.
func (s session) isTenant() bool { return s.ID == "" }

// stateRow is what sql/state.sql returns.
type stateRow struct {
	ID       uint64   `ch:"id"`
	Content  string   `ch:"content"`
	Pending  [][]any  `ch:"pending"`
	Identity string   `ch:"identity"`
	Names    []string `ch:"names"`
	Blocks   []uint64 `ch:"blocks"`
}

// state is what is stored, and the last settlement.
type state struct {
	id       uint64      // of the last settlement, whether it holds or not
	last     *Settlement // nil if there is none that holds
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
	// Numbers of inserts only grow, unless the rows are those of other tables.
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

// within returns the batches with records in a range; nil is no limit.
func (s *Settlement) within(from, to *time.Time) []Batch {
	return slices.DeleteFunc(slices.Clone(s.Batches), func(b Batch) bool {
		return from != nil && b.Last < from.UnixNano() || to != nil && b.First >= to.UnixNano()
	})
}
