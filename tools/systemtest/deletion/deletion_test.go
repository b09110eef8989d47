package deletion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/deletion"
	"tapedeck/replay"
	"tapedeck/schema/block"
)

// Everything that JetStream holds is delivered once more, as after a restore of NATS:
// also the bundles, which hold other sessions' blocks.
func TestRedeliveryBringsNothingBack(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	stop := r.sink()
	r.record("kept", 20)
	r.record("gone", 20)
	gone, kept := "gone-bundled", "kept-bundled"
	for i := 0; ingest.Bucket(kept) != ingest.Bucket(gone); i++ {
		kept = fmt.Sprint("kept-bundled-", i)
	}
	r.bundled(gone, kept)
	r.drained()
	for _, s := range []string{"gone", "gone-bundled"} {
		r.delete(s)
	}
	if m := r.held("gone"); m != 0 {
		t.Errorf("JetStream still holds %d messages on the subject of the deleted session", m)
	}
	stop()
	if err := r.js.DeleteConsumer(t.Context(), jetstream.StreamName, sink.ConsumerName); err != nil {
		t.Fatal(err)
	}
	r.sink()
	r.drained()
	r.gone("gone")
	r.gone("gone-bundled")
	for session, n := range map[string]uint64{"kept": 20, kept: 8} {
		if got := r.shown(session); got != n {
			t.Errorf("%s has %d frames after everything was delivered again, want %d", session, got, n)
		}
	}
	// No sink stores the bundle; rows that a sink stored before it had the tombstone are removed.
	r.eventually("nothing is stored of what was deleted", func() bool {
		return r.rows("gone") == 0 && r.rows("gone-bundled") == 0
	})
	// The data is deleted, and the name can be used again.
	r.record("gone", 5)
}

// A recorder sends the blocks of its spool when the session has long been deleted, past
// the server and through it.
func TestLateSpoolBringsNothingBack(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.sink()
	late := &keeping{next: r.publisher}
	s := r.open(late, ingest.StreamOptions{Session: "gone"})
	if err := r.frames(s, "gone", 8); err != nil {
		t.Fatal(err)
	}
	r.eventually("the first blocks show", func() bool { return r.shown("gone") == 8 })
	late.hold(true)
	if err := r.frames(s, "gone", 8); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	r.delete("gone")
	kept := late.take()
	if len(kept) == 0 {
		t.Fatal("nothing was kept back")
	}
	for _, b := range kept { // straight to NATS
		if err := publish(t.Context(), r.publisher, b); err != nil {
			t.Fatal(err)
		}
	}
	r.drained()
	r.gone("gone")
	for _, b := range kept { // through a server, which says so
		if err := publish(t.Context(), r.accepts, b); !ingest.IsDeleted(err) || !ingest.IsPermanent(err) {
			t.Errorf("a late block of a deleted session: %v, want that it was deleted", err)
		}
	}
}

// A session is deleted in the middle of its recording: the recorder of a session that
// was named ends with an error, and its blocks do not come back.
func TestDeleteWhileRecording(t *testing.T) {
	t.Parallel()
	metrictest.Grow(t, "tapedeck_ingest_deleted_blocks_total")
	r := newRig(t)
	r.sink()
	s := r.open(r.accepts, ingest.StreamOptions{Session: "gone"})
	if err := r.frames(s, "gone", 20); err != nil {
		t.Fatal(err)
	}
	r.eventually("the first blocks show", func() bool { return r.shown("gone") > 0 })
	follower := r.follow("gone")
	r.delete("gone")
	var err error
	for range 1000 { // it is noticed with one of the next blocks
		if err = r.frames(s, "gone", 4); err != nil {
			break
		}
	}
	if !ingest.IsDeleted(err) {
		t.Errorf("recording into a deleted session: %v", err)
	}
	r.drained()
	r.gone("gone")
	select {
	case <-follower:
	case <-time.After(bounded.Limit):
		t.Error("a playback that followed the session did not end")
	}
	if err := deletion.Delete(t.Context(), r.reader, ingest.DefaultTenant, "gone"); err == nil {
		t.Error("deleted twice without an error")
	}
	r.record("gone", 12)
}

// A stream of several sessions continues for the others.
func TestDeleteOneOfAStreamsSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.sink()
	s := r.open(r.accepts, ingest.StreamOptions{})
	for _, session := range []string{"gone", "kept", "gone", "kept"} {
		if err := r.frames(s, session, 8); err != nil {
			t.Fatal(err)
		}
	}
	r.eventually("the first blocks show", func() bool { return r.shown("gone") == 16 && r.shown("kept") == 16 })
	r.delete("gone")
	for _, session := range []string{"gone", "kept", "gone"} {
		if err := r.frames(s, session, 8); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	r.drained()
	r.gone("gone")
	r.eventually("the other session's frames show", func() bool { return r.shown("kept") == 24 })
	usage, err := usagereport.Read(t.Context(), r.reader, usagereport.Query{Tenant: ingest.DefaultTenant})
	if err != nil || usage.Totals.Calls == 0 {
		t.Errorf("usage %+v, %v", usage, err)
	}
}

// bundled records two sessions of one bucket so that their blocks share messages.
func (r *rig) bundled(one, two string) {
	r.t.Helper()
	hold := &keeping{next: r.publisher}
	hold.hold(true)
	for _, session := range []string{one, two} {
		s := r.open(hold, ingest.StreamOptions{Session: session})
		if err := r.frames(s, session, 8); err != nil {
			r.t.Fatal(err)
		}
		if _, err := s.Close(r.t.Context(), "eof"); err != nil {
			r.t.Fatal(err)
		}
	}
	blocks := hold.take()
	half := len(blocks) / 2
	for i := range half { // one block of each session
		message := block.AppendBundle(nil, []block.Entry{{Session: one, Data: blocks[i].Data}, {Session: two, Data: blocks[half+i].Data}})
		if _, err := r.js.Publish(r.t.Context(), ingest.Partition{}.BundleSubject(ingest.DefaultTenant, ingest.Bucket(one)), message); err != nil {
			r.t.Fatal(err)
		}
	}
	r.eventually("what was bundled shows", func() bool { return r.shown(one) == 8 && r.shown(two) == 8 })
}

// held returns how many messages JetStream has on a session's own subject.
func (r *rig) held(session string) uint64 {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), jetstream.StreamName)
	if err != nil {
		r.t.Fatal(err)
	}
	info, err := s.Info(r.t.Context(), njs.WithSubjectFilter(ingest.Subject(ingest.DefaultTenant, session)))
	if err != nil {
		r.t.Fatal(err)
	}
	var n uint64
	for _, of := range info.State.Subjects {
		n += of
	}
	return n
}

// rows counts a session's rows in the tables, hidden ones included.
func (r *rig) rows(session string) (n uint64) {
	r.t.Helper()
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		var some uint64
		if err := r.db.QueryRow(r.t.Context(), "SELECT count() FROM "+table+" WHERE session_id = ?", session).Scan(&some); err != nil {
			r.t.Fatal(err)
		}
		n += some
	}
	return n
}

// follow plays a session and closes the channel at the playback's end.
func (r *rig) follow(session string) <-chan struct{} {
	r.t.Helper()
	tape, err := r.live.Tape(r.t.Context(), ingest.DefaultTenant, session)
	if err != nil {
		r.t.Fatal(err)
	}
	reader, err := tape.Read(r.t.Context(), replay.Query{})
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	r.t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		defer reader.Close()
		for {
			if _, err := reader.Next(ctx); err != nil && !errors.Is(err, replay.ErrLive) {
				return
			}
		}
	}()
	return done
}

// keeping is a publisher that keeps blocks back, as a spool does.
type keeping struct {
	next ingest.Publisher
	mu   sync.Mutex
	on   bool
	kept []ingest.EncodedBlock
}

func (k *keeping) hold(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.on = on
}

func (k *keeping) take() []ingest.EncodedBlock {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.kept)
}

func (k *keeping) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.on {
		return k.next.Publish(ctx, p, done)
	}
	k.kept = append(k.kept, p)
	go done(nil)
	return nil
}

// publish hands on a block and waits for its fate.
func publish(ctx context.Context, to ingest.Publisher, p ingest.EncodedBlock) error {
	fate := make(chan error, 1)
	if err := to.Publish(ctx, p, func(err error) { fate <- err }); err != nil {
		return err
	}
	select {
	case err := <-fate:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
