package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/clickhouse"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// bench is a JetStream, a ClickHouse, and what reads and writes them.
type bench struct {
	t         testing.TB
	nc        *nats.Conn
	js        njs.JetStream
	dsn       string
	store     *clickhouse.Store
	publisher ingest.Publisher
	keep      time.Duration // how long the sink leaves stored blocks
	stopSink  func()
	sink      *sink.Sink
}

func newBench(t testing.TB) *bench { return benchOn(t, localtest.NATS(t)) }

// connect returns a connection that outlives the server.
func connect(t testing.TB, b *broker.Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(b.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})) // it is away on purpose
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func benchOn(t testing.TB, nc *nats.Conn) *bench {
	t.Helper()
	b := &bench{t: t, nc: nc, keep: time.Minute, dsn: localtest.ClickHouse(t)}
	var err error
	if b.js, err = njs.New(nc); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), b.js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	db, err := schemaclickhouse.Open(b.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := schemaclickhouse.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	b.store = clickhouse.Open(b.dsn, clickhouse.Options{})
	t.Cleanup(func() { b.store.Close() })
	if b.publisher, err = jetstream.NewPublisher(nc); err != nil {
		t.Fatal(err)
	}
	return b
}

// partitionedBench is a bench whose blocks are partitioned.
func partitionedBench(t testing.TB) *bench {
	t.Helper()
	b := newBench(t)
	c := jetstream.Config{MaxBytes: 1 << 30, Partitions: 4}
	if err := jetstream.Repartition(t.Context(), b.js, c); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), b.js, c); err != nil {
		t.Fatal(err)
	}
	return b
}

// startSink has blocks stored until stopSink.
func (b *bench) startSink() {
	b.t.Helper()
	s, err := sink.New(sink.Options{NATS: b.nc, DSN: b.dsn, Keep: b.keep, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			b.t.Error(err)
		}
	}()
	stopped := false
	b.sink, b.stopSink = s, func() {
		if !stopped {
			stopped = true
			cancel()
			<-done
		}
	}
	b.t.Cleanup(b.stopSink)
}

// library is one of the test's own. Blocks that it cannot serve from its tails
// it has to find elsewhere.
func (b *bench) library(change func(*live.Options)) *live.Library {
	b.t.Helper()
	opts := live.Options{
		NATS: b.nc, Locate: jetstream.NewLayout(b.js).Locate, Sink: sink.ConsumerName, Stored: b.store,
		Grace: 500 * time.Millisecond, Timeout: 2 * time.Second, Log: slog.New(slog.NewTextHandler(b.t.Output(), nil)),
	}
	if change != nil {
		change(&opts)
	}
	l, err := live.New(opts)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(l.Close)
	return l
}

// stream begins to record.
func (b *bench) stream(session string, transport schema.Transport) *ingest.Stream {
	b.t.Helper()
	s, err := ingest.NewRecorder(b.publisher, ingest.Settings{}).Open(ingest.StreamOptions{
		Session: session, Dialect: "generic", Transport: transport,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// record records frames that hold the time at which they were.
func record(t testing.TB, s *ingest.Stream, n int) {
	t.Helper()
	for range n {
		at := ingest.Now()
		f := &schema.Frame{At: at, Raw: fmt.Appendf(nil, "{\"at\":%d}\n", at)}
		if err := s.Record(context.Background(), f); err != nil {
			t.Error(err)
			return
		}
	}
}

func end(t testing.TB, s *ingest.Stream) {
	t.Helper()
	if _, err := s.Close(context.Background(), "eof"); err != nil {
		t.Error(err)
	}
}

// seen is a player.Sink that notes what it is given.
type seen struct {
	frames map[string][]uint64 // numbers by stream
	count  int
	late   []time.Duration // from a frame's arrival to its being played
	last   string          // where to resume
	exact  bool            // that place says all
	stop   func(*seen) error
}

func newSeen() *seen { return &seen{frames: map[string][]uint64{}} }

func (s *seen) Play(f *replay.Frame, _, to int) error {
	if to < len(f.Raw) {
		return nil
	}
	id := string([]byte(f.Stream.StreamID))
	s.frames[id] = append(s.frames[id], f.Seq)
	s.late = append(s.late, time.Duration(ingest.Now()-f.At))
	s.count++
	s.last, s.exact = f.Position().String(), f.Block != 0
	if s.exact {
		s.last = string(player.AppendResume(nil, []byte(s.last), f.Block))
	}
	if s.stop != nil {
		return s.stop(s)
	}
	return nil
}

func (s *seen) Flush() error { return nil }

// check reports whether all frames of streams, of which the lengths are given,
// were played once and in order.
func (s *seen) check(want map[string]int) error {
	for id, n := range want {
		for i, seq := range s.frames[id] {
			if seq != uint64(i) {
				return fmt.Errorf("stream %s: frame %d came as the %dth of %d, of %d", id, seq, i, len(s.frames[id]), n)
			}
		}
		if len(s.frames[id]) != n {
			return fmt.Errorf("stream %s: %d frames, want %d", id, len(s.frames[id]), n)
		}
	}
	if len(s.frames) != len(want) {
		return fmt.Errorf("frames of %d streams, want %d", len(s.frames), len(want))
	}
	return nil
}
