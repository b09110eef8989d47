// Package deletion tests with the real parts that deleted sessions stay deleted.
package deletion

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/session/deletion"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/replay"
	replayclickhouse "tapedeck/replay/clickhouse"
	"tapedeck/replay/live"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/tombstone"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// rig is a server's parts, without HTTP.
type rig struct {
	t         *testing.T
	nc        *nats.Conn
	js        njs.JetStream
	dsn       string
	db        driver.Conn
	store     *tombstone.Store
	set       *tombstone.Set
	publisher *jetstream.Publisher
	accepts   ingest.Publisher // refuses blocks of deleted sessions
	tapes     *replayclickhouse.Store
	live      *live.Library
	reader    *query.Reader
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, nc: localtest.NATS(t), dsn: localtest.ClickHouse(t)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	r.js, err = njs.New(r.nc)
	must(err)
	_, err = jetstream.EnsureStreams(t.Context(), r.js, jetstream.Config{MaxBytes: 1 << 30})
	must(err)
	r.db, err = clickhouse.Open(r.dsn)
	must(err)
	t.Cleanup(func() { r.db.Close() })
	_, err = clickhouse.Migrate(t.Context(), r.db)
	must(err)
	r.store = tombstone.NewStore(r.db)
	r.set = tombstone.NewSet(r.store)
	r.publisher, err = jetstream.NewPublisher(r.nc)
	must(err)
	r.accepts = admission.New(t.Context(), admission.Options{
		Next: r.publisher, Deleted: r.set, Store: r.store, Log: slog.New(slog.DiscardHandler),
	})
	r.tapes = replayclickhouse.Open(r.dsn, replayclickhouse.Options{})
	t.Cleanup(func() { r.tapes.Close() })
	r.live, err = live.New(live.Options{
		NATS: r.nc, Locate: jetstream.NewLayout(r.js).Locate, Sink: sink.ConsumerName,
		Stored: r.tapes, Deleted: r.set, Log: slog.New(slog.DiscardHandler),
	})
	must(err)
	t.Cleanup(r.live.Close)
	r.reader = query.NewReader(r.db, query.WithDeleter(r.deleter()))
	return r
}

func (r *rig) deleter() *tombstone.Deleter {
	return tombstone.NewDeleter(r.store, r.set, func(ctx context.Context, t *tombstone.Tombstone) error {
		return jetstream.Purge(ctx, r.js, t)
	})
}

// sink runs a sink with its own tombstones, as in another process, until the
// test's end or the call of stop.
func (r *rig) sink() (stop func()) {
	r.t.Helper()
	set := tombstone.NewSet(r.store)
	s, err := sink.New(sink.Options{NATS: r.nc, DSN: r.dsn, Deleted: set, Complete: r.deleter().Sweep})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	r.t.Cleanup(stop)
	return stop
}

// open begins a recording.
func (r *rig) open(to ingest.Publisher, o ingest.StreamOptions) *ingest.Stream {
	r.t.Helper()
	o.Dialect = "loom"
	s, err := ingest.NewRecorder(to, ingest.Settings{BlockFrames: 4}).Open(o)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// line returns the i-th frame.
func line(session string, i int) []byte {
	return fmt.Appendf(nil, `{"session_id":%q,"node_id":"run-think-0","event_id":%d,"type":"usage","prompt_tokens":100,"completion_tokens":20,"total_tokens":120}`+"\n", session, i+1)
}

func (r *rig) frames(s *ingest.Stream, session string, n int) error {
	for i := range n {
		if err := s.Record(r.t.Context(), &schema.Frame{At: ingest.Now(), Raw: line(session, i)}); err != nil {
			return err
		}
	}
	return s.Flush(r.t.Context())
}

// record makes a whole recording and waits until it can be read.
func (r *rig) record(session string, n int) {
	r.t.Helper()
	s := r.open(r.accepts, ingest.StreamOptions{Session: session})
	if err := r.frames(s, session, n); err != nil {
		r.t.Fatal(err)
	}
	if _, err := s.Close(r.t.Context(), "eof"); err != nil {
		r.t.Fatal(err)
	}
	r.eventually("the recording shows", func() bool { return r.shown(session) == uint64(n) })
}

// shown returns the number of frames in the session's summary; 0 for no session.
func (r *rig) shown(session string) uint64 {
	r.t.Helper()
	d, err := sessiondetail.Read(r.t.Context(), r.reader, ingest.DefaultTenant, session)
	if p, ok := problem.From(err); err != nil && ok && p.Status == 404 {
		return 0
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return d.Frames
}

func (r *rig) eventually(what string, is func() bool) {
	r.t.Helper()
	bounded.Until(r.t, what, is)
}

func (r *rig) delete(session string) {
	r.t.Helper()
	if err := deletion.Delete(r.t.Context(), r.reader, ingest.DefaultTenant, session); err != nil {
		r.t.Fatal(err)
	}
}

// drained waits until the sink has acknowledged all there is.
func (r *rig) drained() {
	r.t.Helper()
	r.eventually("the sink has stored everything", func() bool {
		s, err := r.js.Stream(r.t.Context(), jetstream.StreamName)
		if err != nil {
			return false
		}
		c, err := s.Consumer(r.t.Context(), sink.ConsumerName)
		if err != nil {
			return false
		}
		drained, err := jetstream.Drained(r.t.Context(), s, c.CachedInfo(), s.CachedInfo().State.LastSeq)
		return err == nil && drained
	})
}

// gone checks that no reader returns anything of a session.
func (r *rig) gone(session string) {
	r.t.Helper()
	if n := r.shown(session); n != 0 {
		r.t.Errorf("the summary of the deleted session counts %d frames", n)
	}
	list, err := sessionlist.Read(r.t.Context(), r.reader, sessionlist.Query{Tenant: ingest.DefaultTenant, Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range list.Items {
		if s.ID == session {
			r.t.Errorf("the deleted session is on the list with %d frames", s.Frames)
		}
	}
	for name, library := range map[string]replay.Library{"stored": r.tapes, "live": r.live} {
		if tape, err := library.Tape(r.t.Context(), ingest.DefaultTenant, session); err == nil {
			r.t.Errorf("there is a %s tape of the deleted session, of %d streams", name, len(tape.Streams()))
		}
	}
}
