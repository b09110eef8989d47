package charges_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// inputs returns the input tokens of the charges that Each visits, by session. change runs between
// each look at the settlement and its statement, with the number of the look.
func inputs(t *testing.T, r *query.Reader, change func(look int)) (list []string) {
	t.Helper()
	looks := 0
	ctx := failpoint.With(t.Context(), func(step string) error {
		if step == charges.Looked {
			looks++
			change(looks)
		}
		return nil
	})
	err := charges.Each(ctx, r, charges.Query{Tenant: querytest.Tenant}, func(c *charges.Charge) error {
		list = append(list, fmt.Sprint(c.SessionID, " ", c.Tokens.Input))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// TestChangesBetween changes sessions between the look at the settlement and the statement: each
// charge is read before or after the change, none is missing or read twice, and none is of a
// deleted session.
func TestChangesBetween(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	db.Merge()
	r := querytest.Reader(db, 1e7, query.WithPrices(pricesWith(t, "")))
	settler := rollup.NewSettler(r, slog.New(slog.DiscardHandler))
	stream := 0
	record := func(session, id string, input uint64) querytest.Recording {
		stream++
		return querytest.Recording{Session: session, Stream: stream, Usages: []schema.Usage{used(id, "speaker", float64(stream), schema.Tokens{Input: input})}}
	}
	settle := func() {
		t.Helper()
		if err := settler.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	masked := record("masked", "u", 1)
	db.Add(masked, record("gone", "u", 2), record("stays", "u", 3))
	settle()
	// What is stored before the look is read, settled or not.
	db.Add(record("new", "u", 4), record("stays", "v", 5))
	before := []string{"gone 2", "masked 1", "new 4", "stays 3", "stays 5"}
	querytest.Equal(t, "nothing changes", before, inputs(t, r, func(int) {}))

	once := func(change func()) func(int) {
		return func(look int) {
			if look == 1 {
				change()
			}
		}
	}
	changed := inputs(t, r, once(func() { db.Add(record("gone", "u", 20), record("later", "u", 6)) }))
	querytest.Equal(t, "usage is stored", before, changed)
	settle()
	before = []string{"gone 20", "later 6", "masked 1", "new 4", "stays 3", "stays 5"}
	changed = inputs(t, r, once(func() { db.Add(record("stays", "u", 30)); settle() }))
	querytest.Equal(t, "a settlement is written", before, changed)
	before[4] = "stays 30"
	querytest.Equal(t, "and read", before, inputs(t, r, func(int) {}))

	// As when a text is masked: a commit, then the settled rows are removed, then a second commit.
	generation := uint64(7)
	mask := func() {
		db.AddGeneration(generation, masked)
		db.Commit(generation, masked, 0)
		db.Exec("DELETE FROM settled_charges WHERE session_id = 'masked'")
		generation++
	}
	querytest.Equal(t, "settled rows are removed", before, inputs(t, r, once(mask)))
	settle()
	querytest.Equal(t, "settled rows are removed after every look", before, inputs(t, r, func(int) { mask(); settle() }))

	settle()
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "gone"}
	deleter := tombstone.NewDeleter(tombstone.NewStore(db.Conn), nil, nil)
	querytest.Equal(t, "a session is deleted", before[1:], inputs(t, r, once(func() {
		if err := deleter.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	})))

	// A process that stands still for long finds the batches removed.
	settle()
	defer charges.SnapshotFor(0)()
	querytest.Equal(t, "batches are removed", before[1:], inputs(t, r, once(func() { db.Exec("TRUNCATE TABLE settled_charges") })))
}
