package sink

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

// recordedMessage is a message that records the answers to JetStream.
type recordedMessage struct {
	jetstream.Msg // nil: the sink asks for what is below
	data          []byte
	sequence      uint64
	stored        time.Time
	header        nats.Header
	mu            sync.Mutex // guards what follows
	words         []string
}

func (m *recordedMessage) Subject() string      { return ingest.Subject(ingest.DefaultTenant, "s") }
func (m *recordedMessage) Data() []byte         { return m.data }
func (m *recordedMessage) Headers() nats.Header { return m.header }
func (m *recordedMessage) Ack() error           { return m.answer("ack") }
func (m *recordedMessage) Nak() error           { return m.answer("nak") }
func (m *recordedMessage) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: m.sequence}, Timestamp: m.stored}, nil
}
func (m *recordedMessage) InProgress() error { return m.answer("in progress") }

func (m *recordedMessage) answer(word string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.words = append(m.words, word)
	return nil
}

// What was gathered when the sink is stopped is stored; what comes after it is
// given back.
func TestStopStores(t *testing.T) {
	dsn := localtest.ClickHouse(t)
	db, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := clickhouse.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{NATS: localtest.NATS(t), DSN: dsn, BatchAge: 1 << 60, BatchPace: 1 << 60, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.shards.close()
	defer s.out.close()
	stream := schema.NewStreamID()
	var all []*recordedMessage
	for i := range uint64(30) {
		build := block.NewBuilder()
		build.Add(&schema.Frame{Seq: i, At: ingest.Now(), Transport: schema.NDJSON, Raw: []byte("x\n")})
		all = append(all, &recordedMessage{data: build.Encode(nil, &block.Block{
			Session: "s", State: schema.StreamState{StreamID: stream, Transport: schema.NDJSON, Frames: i + 1, Version: i + 1},
		}, block.S2)})
		build.Release()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := newGatherer(s, s.out)
	coming, done := make(chan delivery), make(chan struct{})
	go func() { g.run(ctx, coming); close(done) }()
	const gathered = 20
	for _, m := range all[:gathered+1] { // that one is taken says that the one before was gathered
		coming <- delivery{msg: m}
	}
	cancel()
	for _, m := range all[gathered+1:] {
		coming <- delivery{msg: m}
	}
	close(coming)
	bounded.Receive(t, done)
	var stored uint64
	if err := db.QueryRow(t.Context(), "SELECT count() FROM frames FINAL").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	acked := uint64(0)
	for i, m := range all {
		words := strings.Join(m.words, " ")
		if words == "ack" {
			acked++
		}
		if want := "ack"; i < gathered && words != want {
			t.Errorf("block %d was gathered and is answered %q, want %q", i, words, want)
		}
		if want := "nak"; i > gathered && words != want {
			t.Errorf("block %d came after the stop and is answered %q, want %q", i, words, want)
		}
	}
	if stored != acked {
		t.Errorf("%d frames are stored, %d acknowledged", stored, acked)
	}
}
