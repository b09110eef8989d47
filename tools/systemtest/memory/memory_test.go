package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/systemtest/commands/commandtest"
)

const (
	groupBytes   = 1_000_000_000
	tenants      = 500
	largeBodies  = 48
	largeSockets = 24
	streams      = 10_000 - largeBodies - largeSockets // all together are --max-streams
	rounds       = 2                                   // large frames of each client
	longFrames   = 6                                   // of the session that is read
	limit        = 15 * time.Minute
)

var wanted = flag.Bool("memory", false, "run the test in a control group")

// A server in a control group of 1 GB is slower and is not killed, while 500 tenants have 10,000 open
// streams, dozens of clients send frames of 16 MB at once, and dozens read such frames. Every frame
// that was acknowledged is stored once; what was refused is accepted later.
func TestControlGroup(t *testing.T) {
	if !*wanted {
		t.Skip("make memory runs it: it needs a control group, and minutes of a machine without other work")
	}
	commandtest.NeedEngine(t)
	g := newGroup(t, groupBytes)
	cluster := commandtest.NewCluster(t, local.Options{})
	s := start(t, g, cluster.Servers.NATSURL(), cluster.Servers.ClickHouseDSN())
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	go func() {
		<-s.ended
		cancel() // nothing answers any more
	}()
	defer func() {
		t.Logf("the control group had %d MB at most of %d; %d kills", g.most()/1e6, int64(groupBytes)/1e6, g.kills())
		if g.kills() > 0 {
			t.Errorf("the kernel killed the server")
		}
		if g.most() >= groupBytes {
			t.Errorf("the control group reached its limit")
		}
	}()
	want := map[string]int{} // frames of each session that were acknowledged
	var sent tally
	for range longFrames {
		if err := s.postLarge(ctx, &sent, "readers", "long", true); err != nil {
			t.Fatal(err)
		}
	}
	want["long"] = longFrames
	s.awaitFrames(t, ctx, cluster, want)

	open := s.openStreams(t, ctx)
	t.Logf("%d open streams of %d tenants: %d MB", len(open), tenants, g.anonymous()/1e6)
	reading, endReading := context.WithCancel(ctx)
	var readers errgroup.Group
	var refusedReaders tally
	var playbacks, pages atomic.Int64
	for n := range 24 {
		pause := time.Duration(n%3) * 20 * time.Millisecond
		readers.Go(func() error {
			return s.read(reading, &refusedReaders, "/v1/sessions/long/replay?speed=max&mode=raw", pause, &playbacks)
		})
		readers.Go(func() error {
			return s.read(reading, &refusedReaders, "/v1/sessions/long/frames?limit=5000", pause, &pages)
		})
	}
	began := time.Now()
	large := s.sendAllLarge(t, ctx, &sent)
	for session := range large {
		want[session] = 1
	}
	took := time.Since(began)
	if err := each(open, func(m *small) error { return m.send(ctx) }); err != nil {
		t.Error("a frame of an open stream: ", err)
	}
	endReading()
	if err := readers.Wait(); err != nil {
		t.Error("a reader: ", err)
	}
	t.Logf("%d frames of %d MB in %v: %d times refused, %d connections cut; %d playbacks and %d pages were whole, %d refused, %d cut",
		len(large), largeBytes/1_000_000, took.Round(time.Second), sent.refused.Load(), sent.cut.Load(), playbacks.Load(), pages.Load(),
		refusedReaders.refused.Load(), refusedReaders.cut.Load())
	if playbacks.Load()+pages.Load() == 0 { // most are refused: a sixth of the memory is for readers
		t.Errorf("%d playbacks and %d pages were read", playbacks.Load(), pages.Load())
	}
	if err := each(open, (*small).close); err != nil {
		t.Error("the end of a stream: ", err)
	}
	for _, m := range open {
		want[m.session] = m.sent
	}
	s.awaitFrames(t, ctx, cluster, want)
	s.checkBytes(t, ctx, cluster, large)
}

// openStreams opens the streams, each of which sends some frames.
func (s *server) openStreams(t *testing.T, ctx context.Context) []*small {
	t.Helper()
	open := make([]*small, streams)
	for i := range open {
		open[i] = &small{server: s, tenant: fmt.Sprintf("tenant-%d", i%tenants), session: fmt.Sprintf("small-%d", i)}
	}
	number := atomic.Int64{}
	if err := each(open, func(m *small) error {
		if err := m.open(ctx, number.Add(1)%2 == 0); err != nil {
			return err
		}
		for range 3 {
			if err := m.send(ctx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal("open a stream: ", err)
	}
	return open
}

// each calls do for all streams, for some at a time.
func each(open []*small, do func(*small) error) error {
	var all errgroup.Group
	all.SetLimit(64)
	for _, m := range open {
		all.Go(func() error { return do(m) })
	}
	return all.Wait()
}

// sendAllLarge sends large frames from many clients at once, and returns their sessions with the
// SHA-256 of the frame.
func (s *server) sendAllLarge(t *testing.T, ctx context.Context, n *tally) map[string]string {
	t.Helper()
	sessions := map[string]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	client := func(number int, send func(tenant, session string) error) {
		for round := range rounds {
			session := fmt.Sprintf("large-%d-%d", number, round)
			if err := send(fmt.Sprintf("tenant-%d", number*7%tenants), session); err != nil {
				t.Error(err)
				return
			}
			line := largeFrame(session)
			sum := sha256.Sum256([]byte(line))
			mu.Lock()
			sessions[session] = hex.EncodeToString(sum[:])
			mu.Unlock()
		}
	}
	for i := range largeBodies {
		all.Go(func() {
			client(i, func(tenant, session string) error { return s.postLarge(ctx, n, tenant, session, i%2 == 0) })
		})
	}
	for i := range largeSockets {
		all.Go(func() {
			client(largeBodies+i, func(tenant, session string) error { return s.sendLarge(ctx, n, tenant, session) })
		})
	}
	all.Wait()
	return sessions
}

// awaitFrames waits until the frames of all sessions are stored, and checks that each is there once.
func (s *server) awaitFrames(t *testing.T, ctx context.Context, c *commandtest.Cluster, want map[string]int) {
	t.Helper()
	db, err := clickhouse.Open(c.Servers.ClickHouseDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for {
		got := map[string]int{}
		rows, err := db.Query(ctx, "SELECT session_id, toInt64(uniqExact(stream_id, seq)) FROM frames GROUP BY session_id")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var session string
			var n int64
			if err := rows.Scan(&session, &n); err != nil {
				t.Fatal(err)
			}
			got[session] = int(n)
		}
		_ = rows.Close() // it was read to its end
		lack, wrong := 0, ""
		for session, n := range want {
			if got[session] < n {
				lack++
			}
			if got[session] != n {
				wrong = fmt.Sprintf("%s: %d frames are stored, %d were acknowledged", session, got[session], n)
			}
		}
		if wrong == "" {
			return
		}
		if lack == 0 || ctx.Err() != nil {
			t.Fatal(wrong)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%d sessions lack frames; %s\n%s", lack, wrong, tail(s.Log.String()))
		case <-time.After(time.Second): // between two looks
		}
	}
}

// checkBytes reads large frames back and compares their digests.
func (s *server) checkBytes(t *testing.T, ctx context.Context, c *commandtest.Cluster, sessions map[string]string) {
	t.Helper()
	for session, want := range sessions {
		var number, round int
		if _, err := fmt.Sscanf(session, "large-%d-%d", &number, &round); err != nil {
			t.Fatal(err)
		}
		resp, err := s.client.Do(s.request(fmt.Sprintf("tenant-%d", number*7%tenants), http.MethodGet, "/v1/sessions/"+session+"/frames?raw=1", nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.New()
		_, err = io.Copy(digest, resp.Body)
		resp.Body.Close()
		if err != nil || hex.EncodeToString(digest.Sum(nil)) != want {
			t.Errorf("%s: %s, other bytes came back: %v", session, resp.Status, err)
		}
	}
}
