package partitions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/clickhouse"
	"tapedeck/replay/live"
	"tapedeck/schema"
	tables "tapedeck/schema/clickhouse"
)

// config returns the configuration of JetStream on the cluster.
func config() jetstream.Config {
	return jetstream.Config{MaxBytes: 256 << 20, Replicas: 3, Partitions: *partitions}
}

// rig is a cluster of NATS with a publisher behind a spool, and ClickHouse.
type rig struct {
	*testing.T
	nodes   []*node
	nc      *nats.Conn
	js      njs.JetStream
	dsn     string
	db      driver.Conn
	spooled *spool.Spool
	live    *live.Library
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, nodes: startNodes(t), dsn: localtest.ClickHouse(t)}
	r.nc = r.connect()
	var err error
	if r.js, err = njs.New(r.nc); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the cluster has its streams", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = jetstream.EnsureStreams(ctx, r.js, config())
		return err == nil
	})
	if r.db, err = tables.Open(r.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.db.Close() })
	if _, err := tables.Migrate(t.Context(), r.db); err != nil {
		t.Fatal(err)
	}
	next, err := jetstream.NewPublisher(r.nc)
	if err != nil {
		t.Fatal(err)
	}
	if r.spooled, err = spool.Open(spool.Options{Dir: t.TempDir(), Next: next, Timeout: time.Second, Log: quiet()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.spooled.Close(context.Background()) }) // it is empty if the test succeeds
	store := clickhouse.Open(r.dsn, clickhouse.Options{})
	t.Cleanup(func() { store.Close() })
	if r.live, err = live.New(live.Options{NATS: r.nc, Locate: jetstream.NewLayout(r.js).Locate, Sink: sink.ConsumerName,
		Stored: store, Timeout: bounded.Limit, Silence: time.Hour, Grace: 3 * time.Second,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.live.Close)
	return r
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// connect returns a connection to the cluster that outlives its nodes.
func (r *rig) connect() *nats.Conn {
	r.Helper()
	var urls []string
	for _, n := range r.nodes {
		urls = append(urls, n.url)
	}
	nc, err := nats.Connect(strings.Join(urls, ","), append(jetstream.ConnectOptions(quiet()),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...) // nodes are away on purpose
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(nc.Close)
	return nc
}

// sink runs a sink until stop is called.
func (r *rig) sink() (stop func()) {
	r.Helper()
	s, err := sink.New(sink.Options{NATS: r.connect(), DSN: r.dsn, Log: quiet()})
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			r.Error(err)
		}
	}()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	r.Cleanup(stop)
	return stop
}

// recorded is a session that is recorded and followed.
type recorded struct {
	name     string
	frames   int
	followed []uint64
	err      error
}

// record records a frame every 20 ms until ctx ends, and follows the session meanwhile.
func (r *rig) record(ctx context.Context, s *recorded) {
	stream, err := ingest.NewRecorder(r.spooled, ingest.Settings{}).Open(ingest.StreamOptions{Session: s.name, Dialect: "generic", Transport: schema.NDJSON})
	if err != nil {
		s.err = err
		return
	}
	var following sync.WaitGroup
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ; ctx.Err() == nil; <-tick.C {
		f := &schema.Frame{At: ingest.Now(), Raw: fmt.Appendf(nil, "{\"n\":%d,\"pad\":%q}\n", s.frames, strings.Repeat("x", 200))}
		if s.err = stream.Record(context.Background(), f); s.err != nil {
			return
		}
		if s.frames++; s.frames == 1 {
			following.Go(func() { s.err = r.follow(s) })
		}
	}
	if _, err := stream.Close(context.Background(), "eof"); err != nil {
		s.err = err
	}
	following.Wait()
}

// follow reads a running session to its end.
func (r *rig) follow(s *recorded) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*bounded.Limit) // longer than the long test records
	defer cancel()
	var tape replay.Tape
	var err error
	for ctx.Err() == nil { // a client opens the session again if JetStream does not answer
		if tape, err = r.live.Tape(ctx, ingest.DefaultTenant, s.name); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond) // between two attempts of a client
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", s.name, err)
	}
	reader, err := tape.Read(ctx, replay.Query{})
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		frames, err := reader.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, replay.ErrLive):
		case err != nil && len(s.followed) == 0 && ctx.Err() == nil: // as above
			time.Sleep(100 * time.Millisecond) // between two attempts of a client
		case err != nil:
			return fmt.Errorf("follow %s: %w", s.name, err)
		}
		for i := range frames {
			s.followed = append(s.followed, frames[i].Seq)
		}
	}
}

// check compares what was recorded with what a follower received and with what is stored.
func (r *rig) check(s *recorded) {
	r.Helper()
	if s.err != nil {
		r.Errorf("%s: %v", s.name, s.err)
	}
	received := slices.Sorted(slices.Values(s.followed)) // blocks that waited in the spool for long are late
	for i, seq := range received {
		if seq != uint64(i) {
			r.Errorf("%s: the follower has frame %d in the place of frame %d, so one is missing or was received twice", s.name, seq, i)
			break
		}
	}
	if len(s.followed) != s.frames {
		r.Errorf("%s: the follower received %d of %d frames", s.name, len(s.followed), s.frames)
	}
	var count, distinct uint64
	bounded.Until(r, s.name+" is stored", func() bool {
		err := r.db.QueryRow(r.Context(), "SELECT count(), uniqExact(seq) FROM frames FINAL WHERE session_id = ?", s.name).Scan(&count, &distinct)
		return err == nil && distinct >= uint64(s.frames)
	})
	if count != uint64(s.frames) || distinct != count {
		r.Errorf("%s: %d rows of %d frames are stored, want %d", s.name, count, distinct, s.frames)
	}
}

// leader returns the node that leads a partition.
func (r *rig) leader(index int) *node {
	r.Helper()
	var found *node
	bounded.Until(r, "the partition has a leader", func() bool {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		s, err := r.js.Stream(ctx, jetstream.PartitionName(index))
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		for _, n := range r.nodes {
			if n.name == s.CachedInfo().Cluster.Leader {
				found = n
			}
		}
		return found != nil
	})
	return found
}

// whole waits until all replicas of all partitions are current.
func (r *rig) whole() {
	r.Helper()
	bounded.Until(r, "all replicas are current", func() bool {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		all, err := jetstream.Partitions(ctx, r.js)
		if err != nil {
			return false
		}
		for _, s := range all {
			c := s.CachedInfo().Cluster
			if c == nil || len(c.Replicas) != 2 {
				return false
			}
			for _, p := range c.Replicas {
				if p.Offline || !p.Current {
					return false
				}
			}
		}
		return true
	})
}
