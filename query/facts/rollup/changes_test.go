package rollup_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// Answers are the same with and without what is settled, after each change of what counts, and
// once that is settled too.
func TestSettledEqualsUnsettled(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	if view, err := rollup.Read(t.Context(), w.fast, querytest.Tenant, nil, nil); err != nil || !view.All {
		t.Fatalf("%+v is settled before any settlement, error %v", view, err)
	}
	w.same("nothing settled")
	w.settle()
	w.equalUnsettled("settled", nil)
	w.still("settled")
	w.sameLists("settled")
	usage := func(session string, stream int, u schema.Usage) {
		w.db.Add(querytest.Recording{Session: session, Stream: stream, State: tagged("c1"), Usages: []schema.Usage{u}})
	}
	w.event("more usage and other tags", []string{"a", "early", "b", "again", "long", "new"}, func() {
		usage("a", 1, querytest.Used("late", "gpt-5", 15, schema.Tokens{Input: 9}))
		// Usage of the month before, which moves the session to another batch.
		usage("early", 6, querytest.Used("first", "gpt-5", -3*day, schema.Tokens{Input: 4}))
		// Recorded twice.
		w.db.Add(querytest.Recording{Session: "b", Stream: 7, State: tagged("c3"), Usages: []schema.Usage{billed(querytest.Used("u1", "", 61, schema.Tokens{Input: 101}), "", "")}})
		// Resumed in another month.
		w.db.Add(querytest.Recording{Session: "again", Stream: 8, State: tagged("c2"), Usages: []schema.Usage{running("t3", 35*day, 45)}})
		// Tags alone.
		state := tagged("c7")
		state.Version = 100
		w.db.Add(querytest.Recording{Session: "long", Stream: 3, State: state})
		usage("new", 9, querytest.Used("u1", "gpt-5", day, schema.Tokens{Input: 6}))
	})
	w.db.Merge()
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "long"}
	store := tombstone.NewStore(w.db.Conn)
	usage("more", 11, querytest.Used("u1", "gpt-5", 2*day, schema.Tokens{Input: 50}))
	w.sameLists("not settled")
	w.event("decoded anew; deleted, not yet removed", []string{"more", "new", "long"}, func() {
		anew := querytest.Recording{Session: "new", Stream: 9, State: tagged("c1"), Usages: []schema.Usage{querytest.Used("u1", "gpt-5", day, schema.Tokens{Input: 8})}}
		w.db.AddGeneration(7, anew)
		w.db.Commit(7, anew, 0)
		if _, err := store.Put(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	})
	w.event("deleted and removed", []string{"long"}, func() {
		if err := tombstone.NewDeleter(store, nil, nil).Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	})
	w.event("imported again", []string{"long"}, func() {
		w.db.Restore("long", 10)
		usage("long", 10, querytest.Used("u1", "gpt-5", 10, schema.Tokens{Input: 1001}))
	})
	w.sameLists("at last")
}

// What expires leaves the answers at once, whatever is settled.
func TestExpired(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	w.settle()
	w.db.Merge()
	store := retention.NewStore(w.db.Conn)
	for _, tc := range []struct{ kind, session string }{{tables.Charges, "long"}, {tables.Facts, "a"}} {
		var marks []retention.Expiration
		w.event(tc.kind+" expired, not yet removed", []string{tc.session}, func() {
			due := []retention.Due{{Session: tc.session, Until: querytest.StreamID(100)}}
			marks = querytest.Must[[]retention.Expiration](t)(store.Mark(t.Context(), &retention.Policy{Tenant: querytest.Tenant, Kind: tc.kind}, due, time.Now()))
		})
		w.event(tc.kind+" removed", []string{tc.session}, func() {
			if err := store.Remove(t.Context(), marks); err != nil {
				t.Fatal(err)
			}
		})
	}
	w.sameLists("expired")
}

// Costs are those by the prices that hold, also before they are settled by these.
func TestOtherPrices(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	w.settle()
	operator := querytest.Must[*prices.Operator](t)(prices.ReadFile("prices.yaml", []byte("margins: [{name: everyone, factor: 1.2}, {name: c1, tag: {customer: c1}, factor: 3}]")))
	table := query.WithPrices(prices.Fixed{Table: querytest.Must[*prices.Effective](t)(prices.Combine(prices.Standard().Table(), nil, operator))})
	w.fast, w.slow = querytest.Reader(w.db, 100*day, table), querytest.Reader(w.db, 100*day, table, query.WithoutSettled())
	w.sameLists("settled by other prices")
	w.settler = rollup.NewSettler(w.fast, w.log)
	last := func() (id uint64) {
		w.Helper()
		if err := w.db.Conn.QueryRow(w.Context(), "SELECT max(id) FROM settlements").Scan(&id); err != nil {
			w.Fatal(err)
		}
		return id
	}
	before := last()
	w.settle()
	w.sameLists("settled by these")
	settledAt := last()
	if settledAt <= before {
		t.Errorf("the new prices led to no settlement: %d after %d", settledAt, before)
	}
	for range 3 { // the next rounds have nothing to write
		w.settle()
	}
	if again := last(); again != settledAt {
		t.Errorf("the same prices led to another settlement: %d after %d", again, settledAt)
	}
}

// Processes that settle at the same time, while usage arrives, leave answers as they are.
func TestSeveralSettlers(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	w.settle()
	w.later += 6 * time.Minute
	settlers, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		s := rollup.NewSettler(w.fast, w.log)
		later := w.later
		s.Clock(func() time.Time { return time.Now().Add(later) })
		settlers.Go(func() error {
			for range 3 {
				if err := s.Settle(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for i := range 4 {
		w.db.Add(querytest.Recording{Session: "a", Stream: 20 + i, State: tagged("c1"), Usages: []schema.Usage{
			querytest.Used("more", "gpt-5", float64(200+i), schema.Tokens{Input: uint64(i + 1)}),
		}})
	}
	if err := settlers.Wait(); err != nil {
		t.Fatal(err)
	}
	w.same("settled by several")
	w.settle()
	w.still("settled by one")
}
