package rollup_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// remake settles what changed, without a batch of a month being old.
func (w *world) remake() {
	w.Helper()
	if err := w.settler.Settle(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// equalMade compares the sessions that the recent batch has.
func (w *world) equalMade(what string, want ...string) {
	w.Helper()
	view := querytest.Must[*rollup.View](w.T)(rollup.Read(w.Context(), w.fast, querytest.Tenant, nil, nil))
	querytest.Equal(w.T, what+": sessions of the recent batch", slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(view.Made)))
}

func (w *world) used(session string, stream int, at float64, input uint64) {
	w.db.Add(querytest.Recording{Session: session, Stream: stream, State: tagged("c1"), Usages: []schema.Usage{
		querytest.Used(fmt.Sprint("r", at), "gpt-5", at, schema.Tokens{Input: input}),
	}})
}

// What changed is in the recent batch after the next look, whatever it is, and leaves it when the
// batch of its month is written anew.
func TestRecent(t *testing.T) {
	fulltest.Long(t)
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "long"}
	store := tombstone.NewStore(w.db.Conn)
	w.db.Merge()
	for _, step := range []struct {
		what      string
		change    func()
		unsettled []string
		made      []string
	}{
		{"a new session", func() { w.used("new", 30, day, 3) }, nil, []string{"new"}},
		{"a session again", func() { w.used("new", 30, day+5, 4) }, nil, []string{"new"}},
		{"a repeated record and other tags", func() {
			w.db.Add(querytest.Recording{Session: "b", Stream: 31, State: tagged("c3"), Usages: []schema.Usage{billed(querytest.Used("u1", "", 61, schema.Tokens{Input: 101}), "", "")}})
		}, nil, []string{"b", "new"}},
		{"usage of another month", func() { w.used("early", 32, -3*day, 5) }, nil, []string{"b", "early", "new"}},
		{"a deletion that has begun", func() {
			if _, err := store.Put(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}, []string{"long"}, []string{"b", "early", "new"}},
		{"a deletion", func() {
			if found, err := tombstone.NewDeleter(store, nil, nil).Resume(t.Context(), key); err != nil || !found {
				t.Fatal(found, err)
			}
		}, nil, []string{"b", "early", "long", "new"}},
	} {
		step.change()
		w.same(step.what + ", not settled")
		w.remake()
		w.equalUnsettled(step.what, step.unsettled)
		w.equalMade(step.what, step.made...)
		w.still(step.what)
		w.sameLists(step.what)
	}
	w.settle()
	w.equalMade("folded")
	w.equalUnsettled("folded", nil)
	w.still("folded")
	w.sameLists("folded")
}

// A settler that is killed at any step of the recent batch leaves answers as they were, and the next
// one completes.
func TestKilledRecent(t *testing.T) {
	fulltest.Long(t)
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	killed := errors.New("killed")
	for round, step := range rollup.Steps {
		w.used("a", 40+round, float64(300+round), uint64(1+round))
		ctx := failpoint.With(t.Context(), func(at string) error {
			if at == step {
				return killed
			}
			return nil
		})
		if err := w.settler.Settle(ctx); !errors.Is(err, killed) {
			t.Fatalf("step %s: %v", step, err)
		}
		w.same("killed after " + step)
	}
	w.remake()
	w.equalUnsettled("after all", nil)
	w.equalMade("after all", "a")
	w.still("after all")
}

// A request of several statements reads one settlement for minutes: replaced recent batches are kept as
// long as those of months.
func TestRemovedRecent(t *testing.T) {
	fulltest.Long(t)
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	batches := func() (n uint64) {
		if err := w.db.Conn.QueryRow(t.Context(), "SELECT uniqExact(batch) FROM settled_usage WHERE startsWith(batch, '0-')").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 4 {
		w.used("a", 50+i, float64(400+i), 1)
		w.remake()
		w.later += time.Minute
	}
	if n := batches(); n != 4 {
		t.Errorf("%d recent batches are stored, want 4", n)
	}
	w.later += 11 * time.Minute
	w.used("a", 60, 500, 1)
	w.remake() // the months are old by then and written anew
	if n := batches(); n != 1 {
		t.Errorf("%d recent batches are stored after 11 minutes, want the last one", n)
	}
	w.same("after the removal")
}

// More changed sessions than the recent batch takes are settled by months, the newest first.
func TestManyChanged(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	w.settle()
	defer rollup.Bounds(2, 0)()
	for i, session := range []string{"a", "b", "early", "april", "long"} {
		w.used(session, 70+i, float64(600+i), 7)
	}
	w.equalUnsettled("changed", []string{"a", "april", "b", "early", "long"})
	w.same("changed")
	w.remake()
	w.equalUnsettled("settled", nil)
	w.equalMade("settled")
	w.still("settled")
	w.sameLists("settled")
}

// A settlement counts until another process writes the next one. Statements may read its batches, which
// are removed some minutes later.
func TestOvertaken(t *testing.T) {
	fulltest.Long(t)
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	other, began := rollup.NewSettler(w.fast, w.log), time.Now()
	other.Clock(func() time.Time { return began.Add(w.later) })
	w.used("a", 40, 300, 1)
	var read *rollup.View
	err := w.settler.Settle(failpoint.With(t.Context(), func(at string) error {
		if at != rollup.StepInserted {
			return nil
		}
		read = querytest.Must[*rollup.View](t)(rollup.Read(t.Context(), w.fast, querytest.Tenant, nil, nil))
		w.used("a", 41, 301, 2)
		return other.Settle(t.Context())
	}))
	if err != nil {
		t.Fatal(err)
	}
	rows := func() (n uint64) {
		if err := w.db.Conn.QueryRow(t.Context(), "SELECT count() FROM settled_usage WHERE batch = ?", read.Recent().ID).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if rows() == 0 {
		t.Error("the recent batch was removed while a statement may read it")
	}
	w.same("overtaken")
	w.later += 11 * time.Minute
	w.used("a", 42, 302, 3)
	w.remake()
	if n := rows(); n != 0 {
		t.Errorf("the recent batch of the overtaken settlement has %d rows after 11 minutes", n)
	}
	w.same("removed")
}

// The sink stores usage before it stores the stream that says when a session began.
func TestRecentWithoutStream(t *testing.T) {
	fulltest.Long(t)
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	w.db.Merge()
	w.used("new", 30, 30*day, 3)
	w.used("old", 31, -30*day, 4)
	w.db.Exec("ALTER TABLE streams DELETE WHERE session_id = 'old' SETTINGS mutations_sync = 2")
	w.same("stored in part")
	w.remake()
	w.equalMade("settled in part", "new", "old")
	w.equalUnsettled("settled in part", nil)
	w.still("settled in part")
}

// Views for dashboards count what changed once, with its last usage and costs.
func TestRecentInViews(t *testing.T) {
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	w := newWorld(t)
	w.fill()
	w.settle()
	type counted struct{ calls, input, costly, priced uint64 }
	views := func() (c counted) {
		for query, into := range map[string]*uint64{
			"SELECT sum(calls) FROM reports_usage":           &c.calls,
			"SELECT toUInt64(sum(input)) FROM reports_usage": &c.input,
			"SELECT count() FROM reports_costs":              &c.costly,
			"SELECT sum(calls) FROM reports_model_costs":     &c.priced,
		} {
			if err := w.db.Conn.QueryRow(t.Context(), query+" WHERE tenant = 'acme'").Scan(into); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	want := views()
	if want.calls == 0 || want.costly == 0 || want.priced == 0 {
		t.Fatalf("the views count %+v", want)
	}
	for _, step := range []struct {
		session string
		adds    counted
	}{{"new", counted{1, 7, 1, 1}}, {"new", counted{1, 7, 0, 1}}, {"a", counted{1, 7, 0, 1}}} {
		stream := 30 + int(want.calls)
		w.used(step.session, stream, float64(300+stream), 7)
		w.remake()
		want = counted{want.calls + step.adds.calls, want.input + step.adds.input, want.costly + step.adds.costly, want.priced + step.adds.priced}
		if got := views(); got != want {
			t.Errorf("usage of %s: the views count %+v, want %+v", step.session, got, want)
		}
	}
	w.settle()
	if got := views(); got != want {
		t.Errorf("folded: the views count %+v, want %+v", got, want)
	}
}
