package erasure_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse/clickhousetest"
	stored "tapedeck/schema/lifecycle/erasure"
)

// rig is a database and a JetStream of whose blocks a consumer acknowledges all, as a sink does.
type rig struct {
	*testing.T
	*erasure.Service
	db     *clickhousetest.DB
	blocks njs.Stream
}

func newRig(t *testing.T) *rig {
	t.Helper()
	nc, db := localtest.NATS(t), clickhousetest.New(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	c, err := blocks.CreateConsumer(t.Context(), njs.ConsumerConfig{Durable: sink.ConsumerName, AckPolicy: njs.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	acks, err := c.Consume(func(m njs.Msg) { _ = m.Ack() }) // it is delivered again
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(acks.Stop)
	s := erasure.New(erasure.Options{NATS: nc, DB: db.Conn, Grace: time.Millisecond, Every: 50 * time.Millisecond})
	return &rig{t, s, db, blocks}
}

// carryOut runs the service until erasures are verified.
func (r *rig) carryOut(ids ...string) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Service.Run(ctx)
	}()
	for _, id := range ids {
		bounded.Until(r.T, "an erasure is verified", func() bool {
			e, err := r.Find(r.Context(), stored.AllTenants, id)
			return err == nil && e != nil && e.Done()
		})
	}
	cancel()
	bounded.Receive(r.T, ended)
}

// last returns the last sequence of the stream of blocks.
func (r *rig) last() uint64 {
	r.Helper()
	info, err := r.blocks.Info(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return info.State.LastSeq
}

// TestRoll compares the messages that several erasures write to the stream of blocks with those of one,
// and carries out an erasure that waits for sequences of a stream that was lost.
func TestRoll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	request := func(session string) string {
		e, err := r.Request(t.Context(), erasure.Request{Tenant: "t", Kind: stored.Sessions, Sessions: []string{session}})
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	r.carryOut(request("first"))
	one := r.last()
	if one == 0 {
		t.Fatal("an erasure began no new file")
	}
	var ids []string
	for i := range 2 {
		ids = append(ids, request(fmt.Sprint("s", i)))
	}
	store := stored.NewStore(r.db.Conn)
	open, err := store.Open(t.Context())
	if err != nil || len(open) != len(ids) {
		t.Fatalf("%d open erasures (%v), want %d", len(open), err, len(ids))
	}
	for i := range open {
		if open[i].ID != ids[i] {
			t.Errorf("erasure %d of those that are open is %s, want the oldest first: %s", i, open[i].ID, ids)
		}
	}
	r.carryOut(ids...)
	if all := r.last(); all != 2*one {
		t.Errorf("%d messages after an erasure and %d others, want %d", all, len(ids), 2*one)
	}

	now := time.Now().UTC()
	e := &stored.Erasure{
		ID: uuid.NewString(), Tenant: "t", Kind: stored.Sessions, State: stored.Hidden, Named: []string{"s"},
		RequestedAt: now, HiddenAt: now, Due: now.Add(time.Hour), Remarks: []string{},
		Progress: stored.Progress{Blocks: 1_000_000, MoreBlocks: []uint64{2_000_000}},
	}
	if err := store.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	r.carryOut(e.ID)
}
