package rollup

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/query/pricing/prices"
	"tapedeck/schema/tables"
)

// form is increased when a migration requires that batches are written anew.
const form = 3

// sources lists the tables on which usage depends.
var sources = []string{"duplicate_usage", "expirations", "redecodes", "restores", "streams", "tombstones", "usage"}

// RetryWithin is the maximum time between a failed call of a model and the start of the next call of
// the same session, agent and model for which the latter counts as a retry.
const RetryWithin = time.Minute

// recentMonth is the month of the recent batch.
const recentMonth = 0

// batchTables are the tables of the rows of batches.
var batchTables = tables.Settled(tables.OfRecords)

// costTables are the tables of the costs of batches.
var costTables = tables.Settled(tables.OfCosts)

// Batch identifies a set of rows of the tables settled_usage, settled_calls and settled_tools: the
// sessions whose usage or first call of a model or a tool began in a month, or the recent ones.
type Batch struct {
	ID       string `json:"id"`
	Month    uint32 `json:"month"` // in UTC, such as 202610; recentMonth for the recent batch
	Created  int64  `json:"created"`
	Sessions uint64 `json:"sessions"`
	// First and Last are the times of the first and the last record or call, ns.
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
	// Charges reports that settled_charges has the batch too. Programs without Charges write only
	// settled_usage, and drop Charges when they write a settlement.
	Charges bool `json:"charges"`
}

// lacksCharges reports whether an earlier program wrote the batch.
func (b Batch) lacksCharges() bool { return !b.Charges }

// Settlement describes which usage is settled.
type Settlement struct {
	// Form is the form of the tables for which the settlement was made. A settlement of another
	// form is ignored.
	Form     int    `json:"form"`
	Identity string `json:"identity"` // identity of the source tables
	// Blocks are the numbers of the last included inserts of each source table; on a cluster, where
	// each shard has numbers of its own, of each table/shard.
	Blocks  map[string]uint64 `json:"blocks"`
	Batches []Batch           `json:"batches"`
	// Recent is a batch of sessions that changed since the batch of their month was written. It is
	// written anew within seconds of a change; nil if there is none.
	Recent *Batch `json:"recent,omitempty"`
	// Made is how many of the pending sessions, the first ones, Recent has, or would have if they had
	// usage. Programs without Recent read all pending sessions from the tables.
	Made int `json:"made,omitempty"`
	// Calls is set if settled_calls and settled_tools have the calls of models and tools of all batches,
	// and if sessions with calls but without usage are in batches. Programs without Calls write
	// settlements without it.
	Calls   bool      `json:"all_calls,omitempty"`
	Folded  int64     `json:"folded,omitempty"` // when it was last examined which months to write anew
	Retired []retired `json:"retired"`          // batches that were replaced
}

// all returns the batches of months and the recent one.
func (s *Settlement) all() []*Batch {
	list := make([]*Batch, 0, len(s.Batches)+1)
	for i := range s.Batches {
		list = append(list, &s.Batches[i])
	}
	if s.Recent != nil {
		list = append(list, s.Recent)
	}
	return list
}

// retired is a replaced batch that is removed when no statement reads it any more.
type retired struct {
	Table string `json:"table"`
	Batch string `json:"batch"`
	At    int64  `json:"at"`
}

func (s *Settlement) retire(table, batch string, at time.Time) {
	if batch != "" {
		s.Retired = append(s.Retired, retired{table, batch, at.UnixNano()})
	}
}

func (s *Settlement) retireBatch(b *Batch, at time.Time) {
	for _, table := range batchTables {
		s.retire(table, b.ID, at)
	}
	s.retireCosts(b.Costs, at)
}

func (s *Settlement) retireCosts(batch string, at time.Time) {
	for _, table := range costTables {
		s.retire(table, batch, at)
	}
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
	Made     [][]any  `ch:"made"`
	Identity string   `ch:"identity"`
	Names    []string `ch:"names"`
	Blocks   []uint64 `ch:"blocks"`
}

// state is the state of the source tables, with the last settlement.
type state struct {
	id       uint64      // id of the last settlement, valid or not
	last     *Settlement // nil if there is no valid one
	made     []session   // of the recent batch
	pending  []session   // that no batch counts
	identity string
	blocks   map[string]uint64
}

func (row *stateRow) state() (*state, error) {
	s := &state{id: row.ID, identity: row.Identity, blocks: map[string]uint64{}}
	for i, name := range row.Names {
		s.blocks[name] = row.Blocks[i]
	}
	s.made, s.pending = sessionsOf(row.Made), sessionsOf(row.Pending)
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

// sessionsOf converts pairs of a tenant and a session.
func sessionsOf(pairs [][]any) []session {
	list := make([]session, 0, len(pairs))
	for _, p := range pairs {
		tenant, _ := p[0].(string)
		id, _ := p[1].(string)
		list = append(list, session{tenant, id})
	}
	return list
}

// changed returns the tables with inserts after the last settlement.
func (s *state) changed() []string {
	grown := map[string]bool{}
	for name, block := range s.blocks {
		table, _, _ := strings.Cut(name, "/")
		grown[table] = grown[table] || block > s.last.Blocks[name]
	}
	return slices.DeleteFunc(slices.Clone(sources), func(t string) bool { return !grown[t] })
}

// shardBlocks returns the numbers of the last included inserts of a table by shards. Later shards had
// none.
func (s *Settlement) shardBlocks(table string) []uint64 {
	var list []uint64
	for name, block := range s.Blocks {
		of, shard, _ := strings.Cut(name, "/")
		n, err := strconv.Atoi(shard)
		if of != table || err != nil || n < 1 {
			continue
		}
		list = append(list, make([]uint64, max(0, n-len(list)))...)
		list[n-1] = block
	}
	return list
}

// within returns the batches with records in a range; nil means no limit. The recent batch is the
// last one.
func (s *Settlement) within(from, to *time.Time) (list []Batch) {
	for _, b := range s.all() {
		if (from == nil || b.Last >= from.UnixNano()) && (to == nil || b.First < to.UnixNano()) {
			list = append(list, *b)
		}
	}
	return list
}
