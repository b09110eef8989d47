package tombstone

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/bounded"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/sqltemplate"
)

func open(t *testing.T) driver.Conn {
	t.Helper()
	return clickhousetest.New(t).Conn
}

// put stores a stream of one frame in a session.
func put(t *testing.T, conn driver.Conn, session, stream string) {
	t.Helper()
	ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"insert_deduplication_token": rand.Text()}))
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		if err := conn.Exec(ctx, "INSERT INTO "+table+" (tenant, session_id, stream_id) VALUES ('acme', ?, ?)", session, stream); err != nil {
			t.Fatal(err)
		}
	}
}

var seenRows = sqltemplate.Parse(fstest.MapFS{"sql/seen.sql": {Data: []byte(
	`SELECT countIf({{template "visible_of_session"}}), count() FROM {{.}} WHERE tenant = {tenant:String} AND session_id = {session:String}`,
)}})

// counts counts rows as readers see them, and stored all there are, of a session.
func counts(t *testing.T, conn driver.Conn, session string) (visible, stored uint64) {
	t.Helper()
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		var seen, all uint64
		err := conn.QueryRow(t.Context(), seenRows.Must("seen", table),
			clickhouse.Named("tenant", "acme"), clickhouse.Named("session", session)).Scan(&seen, &all)
		if err != nil {
			t.Fatal(err)
		}
		visible, stored = visible+seen, stored+all
	}
	return visible, stored
}

var errKilled = errors.New("killed")

// A deletion that is killed after any step hides the session, and is completed by
// asking again: nothing else is taken along.
func TestKilledDeletion(t *testing.T) {
	fulltest.Long(t)
	conn := open(t)
	for _, killed := range []string{stepHidden, stepPurged, stepRemoved} {
		purges := 0
		d := NewDeleter(NewStore(conn), nil, func(context.Context, *Tombstone) error { purges++; return nil })
		of := Key{"acme", "session " + killed}
		put(t, conn, of.Session, schema.NewStreamID())
		put(t, conn, "kept "+killed, schema.NewStreamID())
		killing := failpoint.With(t.Context(), func(step string) error {
			if step == killed {
				return errKilled
			}
			return nil
		})
		if err := d.Delete(killing, of); !errors.Is(err, errKilled) {
			t.Fatalf("killed after %s: %v", killed, err)
		}
		if visible, _ := counts(t, conn, of.Session); visible != 0 {
			t.Errorf("killed after %s: %d rows show", killed, visible)
		}
		time.Sleep(2 * time.Millisecond) // ids have the resolution of a millisecond
		after := schema.NewStreamID()
		put(t, conn, of.Session, after)
		resumed, err := d.Resume(t.Context(), of)
		if err != nil || resumed != (killed != stepRemoved) {
			t.Errorf("killed after %s: asked again: %t, %v", killed, resumed, err)
		}
		if visible, stored := counts(t, conn, of.Session); visible != 5 || stored != 5 {
			t.Errorf("killed after %s and asked again: %d rows show and %d are stored, want the 5 of the stream that began later", killed, visible, stored)
		}
		if visible, stored := counts(t, conn, "kept "+killed); visible != 5 || stored != 5 {
			t.Errorf("%d and %d rows of another session", visible, stored)
		}
		if purges == 0 {
			t.Error("JetStream was not purged")
		}
		if resumed, err := d.Resume(t.Context(), of); resumed || err != nil {
			t.Errorf("a deletion that was completed is completed again (%v)", err)
		}
	}
}

// A stream that comes back is hidden, one whose clock is ahead as well; one that is
// imported after the deletion shows, until the next.
func TestRestore(t *testing.T) {
	fulltest.Long(t)
	conn := open(t)
	store := NewStore(conn)
	ahead := Bound(time.Now().Add(24 * time.Hour))[:35] + "0"
	early := schema.NewStreamID()
	for _, stream := range []string{early, ahead} {
		put(t, conn, "s", stream)
	}
	d := NewDeleter(store, nil, nil)
	of := Key{"acme", "s"}
	for round := range 3 {
		if err := d.Delete(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []string{early, ahead} {
			put(t, conn, "s", stream)
		}
		if visible, stored := counts(t, conn, "s"); visible != 0 || stored != 10 {
			t.Errorf("round %d: %d rows show of a deleted session, %d are stored", round, visible, stored)
		}
		gone, err := store.Find(t.Context(), of)
		if err != nil || !gone.Covers(early) || !gone.Covers(ahead) {
			t.Fatalf("round %d: %+v, %v", round, gone, err)
		}
		if err := store.Restore(t.Context(), gone, ahead); err != nil {
			t.Fatal(err)
		}
		gone, err = store.Find(t.Context(), of)
		if err != nil || !gone.Covers(early) || gone.Covers(ahead) {
			t.Errorf("round %d: after an import: %+v, %v", round, gone, err)
		}
		if visible, _ := counts(t, conn, "s"); visible != 5 {
			t.Errorf("round %d: %d rows show of the stream that was imported", round, visible)
		}
	}
}

// A set knows what other processes delete and restore.
func TestSet(t *testing.T) {
	conn := open(t)
	store := NewStore(conn)
	set := NewSet(store)
	if err := set.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		of := Key{"acme", fmt.Sprint("s", i)}
		stream := schema.NewStreamID()
		time.Sleep(2 * time.Millisecond) // ids have the resolution of a millisecond
		gone, err := store.Put(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		bounded.Until(t, "the set to learn of the deletion", func() bool { return set.Known(of).Covers(stream) })
		if !set.Covers(t.Context(), of, stream, time.Now()) {
			t.Fatal("the set does not learn of a deletion")
		}
		if err := store.Restore(t.Context(), gone, stream); err != nil {
			t.Fatal(err)
		}
		// At once: a block of the import may already have arrived.
		if set.Covers(t.Context(), of, stream, time.Now()) {
			t.Error("the set takes a stream for deleted that was imported since")
		}
		if set.Covers(t.Context(), Key{"other", of.Session}, stream, time.Now()) {
			t.Error("another tenant's session")
		}
	}
	if n := len(set.Learned()); n != 3 {
		t.Errorf("%d deletions were learned", n)
	}
}
