package sink_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

// bench is a JetStream with the streams in it, and a ClickHouse with the tables.
type bench struct {
	t   *testing.T
	nc  *nats.Conn
	js  njs.JetStream
	dsn string
	db  driver.Conn
}

func newBench(t *testing.T) *bench {
	return benchOn(t, localtest.ClickHouse(t))
}

func benchOn(t *testing.T, dsn string) *bench {
	t.Helper()
	b := emptyBench(t, dsn)
	b.migrate()
	return b
}

// emptyBench returns a bench whose database has no tables.
func emptyBench(t *testing.T, dsn string) *bench {
	t.Helper()
	b := &bench{t: t, nc: localtest.NATS(t), dsn: dsn}
	var err error
	if b.js, err = njs.New(b.nc); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), b.js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if b.db, err = clickhouse.Open(b.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.db.Close() })
	return b
}

// migrate makes the tables.
func (b *bench) migrate() {
	b.t.Helper()
	if _, err := clickhouse.Migrate(b.t.Context(), b.db); err != nil {
		b.t.Fatal(err)
	}
}

// run starts a sink that stops at the end of the test, or by the function given back.
func (b *bench) run(opts sink.Options) (s *sink.Sink, stop func()) {
	b.t.Helper()
	return b.runWith(context.Background(), opts)
}

// runWith is run with a parent of the sink's context.
func (b *bench) runWith(parent context.Context, opts sink.Options) (s *sink.Sink, stop func()) {
	b.t.Helper()
	opts.NATS, opts.DSN = b.nc, b.dsn
	s, err := sink.New(opts)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(parent)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			b.t.Error(err)
		}
	}()
	stop = func() { cancel(); bounded.Receive(b.t, done) }
	b.t.Cleanup(stop)
	return s, stop
}

// record records n Loom frames, one call of a tool in every ten.
func (b *bench) record(session string, n int) ingest.Summary {
	b.t.Helper()
	p, err := jetstream.NewPublisher(b.nc)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.recordTo(p, session, n)
}

// recordTo is record with a publisher.
func (b *bench) recordTo(p ingest.Publisher, session string, n int) ingest.Summary {
	b.t.Helper()
	s, err := ingest.NewRecorder(p, ingest.Settings{BlockFrames: 16}).Open(ingest.StreamOptions{Session: session, Dialect: "loom"})
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range n {
		if err := s.Record(b.t.Context(), &schema.Frame{At: ingest.Now(), Raw: []byte(line(i))}); err != nil {
			b.t.Fatal(err)
		}
	}
	sum, err := s.Close(b.t.Context(), "eof")
	if err != nil {
		b.t.Fatal(err)
	}
	return sum
}

// line is the i-th frame: usage and a tool call once in ten, else a chunk.
func line(i int) string {
	event := `"type":"message_chunk","content":"word ","id":"think"`
	switch i % 10 {
	case 3:
		event = `"type":"usage","prompt_tokens":100,"completion_tokens":20,"total_tokens":120`
	case 5:
		event = fmt.Sprintf(`"type":"tool_start","call_id":"c%d","name":"read"`, i/10)
	case 6:
		event = fmt.Sprintf(`"type":"tool_end","call_id":"c%d","name":"read","result":"ok","is_error":false`, i/10)
	}
	return fmt.Sprintf(`{"session_id":"own","node_id":"run-think-0","event_id":%d,%s}`, i+1, event) + "\n"
}

// number asks for one number.
func (b *bench) number(query string) (n uint64) {
	b.t.Helper()
	if err := b.db.QueryRow(b.t.Context(), query).Scan(&n); err != nil {
		b.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// eventually waits until a query returns n.
func (b *bench) eventually(query string, n uint64) {
	b.t.Helper()
	var got uint64
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // polls the condition
		if err := b.db.QueryRow(b.t.Context(), query).Scan(&got); err == nil && got == n {
			return
		}
	}
	b.t.Fatalf("%s: %d, want %d", query, got, n)
}

// check compares what a reader sees of a session with what was recorded.
func (b *bench) check(session string, n int) {
	b.t.Helper()
	where := fmt.Sprintf(" FINAL WHERE session_id = '%s'", session)
	b.eventually("SELECT count() FROM frames"+where, uint64(n))
	b.eventually("SELECT count() FROM streams"+where+" AND ended > 0", 1)
	rows, err := b.db.Query(b.t.Context(), "SELECT raw, seq FROM frames"+where+" ORDER BY seq")
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	for i := 0; rows.Next(); i++ {
		var raw string
		var seq uint64
		if err := rows.Scan(&raw, &seq); err != nil {
			b.t.Fatal(err)
		}
		if raw != line(i) || seq != uint64(i) {
			b.t.Fatalf("frame %d: seq %d, bytes %q, want %q", i, seq, raw, line(i))
		}
	}
	tens := uint64(n / 10)
	for query, want := range map[string]uint64{
		"SELECT sum(input + output) FROM usage" + where:                           tens * 120,
		"SELECT count() FROM usage" + where:                                       tens,
		"SELECT count() FROM spans" + where + " AND kind = 'tool'":                tens,
		"SELECT countIf(status = 'ok') FROM spans" + where + " AND kind = 'tool'": tens,
		"SELECT max(frames) FROM streams" + where:                                 uint64(n),
	} {
		b.eventually(query, want) // another sink may be storing it yet
	}
}

func TestStoresOnce(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	b.record("s", 500)
	b.check("s", 500)
}

// Two sinks share the work, and every block is delivered once more from the
// start: a reader sees no difference.
func TestRepeatsChangeNothing(t *testing.T) {
	b := newBench(t)
	_, stop1 := b.run(sink.Options{BatchFrames: 100})
	_, stop2 := b.run(sink.Options{BatchFrames: 70})
	b.record("s", 1000)
	b.check("s", 1000)
	stop1()
	stop2()
	if err := b.js.DeleteConsumer(t.Context(), jetstream.StreamName, sink.ConsumerName); err != nil {
		t.Fatal(err)
	}
	inserted := "SELECT sum(rows) FROM system.parts WHERE table = 'frames' AND database = currentDatabase()"
	before := b.number(inserted)
	b.run(sink.Options{BatchFrames: 333}) // other batches, so other tokens
	b.waitAcked()
	if after := b.number(inserted); after <= before {
		t.Fatalf("%d rows before, %d after: nothing was stored again, so this test shows nothing", before, after)
	}
	b.check("s", 1000)
}

// waitAcked waits until every block is acknowledged.
func (b *bench) waitAcked() {
	b.t.Helper()
	b.waitConsumer("blocks stayed unacknowledged", b.drained)
}

// drained reports whether a consumer has acknowledged all messages of a stream.
func (b *bench) drained(s njs.Stream, c *njs.ConsumerInfo) bool {
	drained, err := jetstream.Drained(b.t.Context(), s, c, s.CachedInfo().State.LastSeq)
	return err == nil && drained
}

// waitDelivered waits until sinks have been sent every block.
func (b *bench) waitDelivered() {
	b.t.Helper()
	b.waitConsumer("blocks were not fetched", func(s njs.Stream, c *njs.ConsumerInfo) bool {
		return c.NumPending == 0 && c.Delivered.Stream >= s.CachedInfo().State.LastSeq
	})
}

// waitConsumer waits for the consumer that sinks share.
func (b *bench) waitConsumer(not string, ok func(njs.Stream, *njs.ConsumerInfo) bool) {
	b.t.Helper()
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // polls the condition
		s, err := b.js.Stream(b.t.Context(), jetstream.StreamName)
		if err != nil {
			continue
		}
		if c, err := s.Consumer(b.t.Context(), sink.ConsumerName); err == nil && ok(s, c.CachedInfo()) {
			return
		}
	}
	b.t.Fatal(not)
}

// suspend stops a process and waits until all its threads stand still: on a busy machine some of them
// run on for a while after the signal.
func suspend(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the process does not stand still", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("threads of process %d: %v, %v", pid, threads, err)
		}
		return !slices.ContainsFunc(threads, func(name string) bool {
			stat, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return false
			}
			_, after, _ := strings.Cut(string(stat), ") ") // the name of a thread is in parentheses
			return err != nil || !strings.HasPrefix(after, "T")
		})
	})
}

// ClickHouse killed in the middle: the sink says so, JetStream holds, nothing is
// lost or doubled once it is back.
func TestClickHouseAway(t *testing.T) {
	metrictest.Grow(t, "tapedeck_sink_insert_failures_total")
	e := localtest.Engine(t, engine.Options{})
	b := benchOn(t, e.DSN())
	s, _ := b.run(sink.Options{BatchFrames: 50})
	b.record("before", 200)
	b.check("before", 200)
	suspend(t, e.Health().PID)
	b.record("meanwhile", 300) // does not wait for ClickHouse
	b.waitDelivered()
	time.Sleep(200 * time.Millisecond) // an insert has begun: ClickHouse, which stands still, cannot report that
	if err := syscall.Kill(e.Health().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(bounded.Limit); s.Status().Trouble != "ClickHouse"; time.Sleep(time.Millisecond) { // polls the condition
		if time.Now().After(end) { // ClickHouse is back soon: the status is polled more often than by bounded.Until
			t.Fatal("the sink did not say that ClickHouse was away")
		}
	}
	b.check("before", 200)
	b.check("meanwhile", 300)
	if st := s.Status(); !st.OK {
		t.Errorf("status after ClickHouse came back: %+v", st)
	}
}

// A block that cannot be read is set aside with the reason; the rest flows on.
func TestPoison(t *testing.T) {
	metrictest.Grow(t, "tapedeck_sink_dead_blocks_total")
	b := newBench(t)
	b.run(sink.Options{})
	good := block.Encode(nil, &block.Block{Session: "s", State: schema.StreamState{StreamID: schema.NewStreamID()}}, block.S2)
	noStream := block.Encode(nil, &block.Block{Session: "s", State: schema.StreamState{StreamID: "x"}}, block.S2)
	for _, bad := range [][]byte{[]byte("nonsense"), good[:len(good)-2], noStream} {
		if _, err := b.js.Publish(t.Context(), ingest.Subject("default", "s"), bad); err != nil {
			t.Fatal(err)
		}
	}
	b.record("s", 100)
	b.check("s", 100)
	b.waitAcked()
	dead, err := b.js.Stream(t.Context(), jetstream.DeadName)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"no block", "checksum", "UUIDv7"} {
		m, err := dead.GetMsg(t.Context(), uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if reason := m.Header.Get(jetstream.HeaderReason); !strings.Contains(reason, want) {
			t.Errorf("dead block %d: reason %q, want one that speaks of %q", i, reason, want)
		}
		if subject := m.Header.Get(jetstream.HeaderSubject); subject != ingest.Subject("default", "s") {
			t.Errorf("dead block %d: subject %q", i, subject)
		}
	}
}

// Trim removes what is stored and old, and nothing that is not stored.
func TestTrim(t *testing.T) {
	b := newBench(t)
	s, stop := b.run(sink.Options{Keep: time.Nanosecond})
	b.record("stored", 100)
	b.check("stored", 100)
	b.waitAcked()
	stop()
	b.record("waiting", 100)
	info, err := b.js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	before := info.CachedInfo().State.Msgs
	if err := s.Trim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err = b.js.Stream(t.Context(), jetstream.StreamName); err != nil {
		t.Fatal(err)
	}
	if after := info.CachedInfo().State.Msgs; after == 0 || after >= before {
		t.Errorf("%d blocks before, %d after: the stored ones must go, the waiting ones stay", before, after)
	}
	b.run(sink.Options{})
	b.check("waiting", 100)
}

// A block of a later version is not set aside: a sink that reads it may come.
func TestLaterVersion(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	later := block.Encode(nil, &block.Block{Session: "s", State: schema.StreamState{StreamID: schema.NewStreamID()}}, block.S2)
	later[3] = 0xff // the format version
	if _, err := b.js.Publish(t.Context(), ingest.Subject("default", "s"), later); err != nil {
		t.Fatal(err)
	}
	b.record("s", 100)
	b.check("s", 100)
	b.waitLeft(1)
}

// waitLeft waits until all messages were delivered, and so many not acknowledged.
func (b *bench) waitLeft(want int) {
	b.t.Helper()
	var info *njs.ConsumerInfo
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // polls the condition
		c, err := b.js.Consumer(b.t.Context(), jetstream.StreamName, sink.ConsumerName)
		if err != nil {
			b.t.Fatal(err)
		}
		if info = c.CachedInfo(); info.NumPending == 0 && info.NumAckPending == want {
			return
		}
	}
	b.t.Fatalf("%d messages are not delivered and %d not acknowledged, want none and %d", info.NumPending, info.NumAckPending, want)
}

// What ClickHouse refuses is set aside block by block, and the rest is stored.
func TestRefusedByClickHouse(t *testing.T) {
	b := newBench(t)
	if err := b.db.Exec(t.Context(), "ALTER TABLE frames ADD CONSTRAINT none CHECK session_id != 'bad'"); err != nil {
		t.Fatal(err)
	}
	b.record("bad", 20)
	b.record("good", 100)
	b.run(sink.Options{})
	b.check("good", 100)
	b.waitAcked()
	dead, err := b.js.Stream(t.Context(), jetstream.DeadName)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n == 0 {
		t.Error("nothing was set aside")
	}
	m, err := dead.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if reason := m.Header.Get(jetstream.HeaderReason); !strings.Contains(reason, "none") {
		t.Errorf("reason %q, want the constraint", reason)
	}
}

// A new JetStream counts from 1 again: what it delivers is stored although an
// older one delivered messages of the same numbers.
func TestNewJetStream(t *testing.T) {
	first := newBench(t)
	_, stop := first.run(sink.Options{})
	first.record("old", 100)
	first.check("old", 100)
	stop()
	second := benchOn(t, first.dsn)
	second.run(sink.Options{})
	second.record("new", 100)
	second.check("new", 100)
	second.check("old", 100)
}
