package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
)

// partitioned is a JetStream with partitions, and a publisher.
type partitioned struct {
	t  *testing.T
	nc *nats.Conn
	js njs.JetStream
	p  *jetstream.Publisher
}

func newPartitioned(t *testing.T, partitions int) *partitioned {
	t.Helper()
	x := &partitioned{t: t, nc: localtest.NATS(t)}
	var err error
	if x.js, err = njs.New(x.nc); err != nil {
		t.Fatal(err)
	}
	if _, err = jetstream.EnsureStreams(t.Context(), x.js, config(partitions)); err != nil {
		t.Fatal(err)
	}
	if x.p, err = jetstream.NewPublisher(x.nc); err != nil {
		t.Fatal(err)
	}
	return x
}

func config(partitions int) jetstream.Config {
	return jetstream.Config{MaxBytes: 64 << 20, Partitions: partitions}
}

// publish publishes a block of a session, again and again until it is acknowledged.
func (x *partitioned) publish(session string) {
	x.t.Helper()
	bounded.Until(x.t, "a block is acknowledged", func() bool {
		result := make(chan error, 1)
		block := ingest.EncodedBlock{Tenant: "acme", Session: session, Frames: 1, Data: []byte("block of " + session)}
		err := x.p.Publish(x.t.Context(), block, func(err error) { result <- err })
		return err == nil && bounded.Receive(x.t, result) == nil
	})
}

// store acknowledges all messages as a sink does.
func (x *partitioned) store() {
	x.t.Helper()
	partitions, err := jetstream.Partitions(x.t.Context(), x.js)
	if err != nil {
		x.t.Fatal(err)
	}
	for _, s := range partitions {
		c, err := s.CreateOrUpdateConsumer(x.t.Context(), njs.ConsumerConfig{Durable: "sink", AckPolicy: njs.AckExplicitPolicy})
		if err != nil {
			x.t.Fatal(err)
		}
		for left := s.CachedInfo().State.Msgs; left > 0; {
			batch, err := c.FetchNoWait(int(left))
			if err != nil {
				x.t.Fatal(err)
			}
			n := uint64(0)
			for m := range batch.Messages() {
				if err := m.DoubleAck(x.t.Context()); err != nil {
					x.t.Fatal(err)
				}
				n++
			}
			if n == 0 {
				break // they were acknowledged before
			}
			left -= n
		}
	}
}

// Blocks of a session are in the stream of its partition, which is the one that Locate names. What
// waits, the backlog and the progress are sums over all partitions.
func TestPartitions(t *testing.T) {
	for _, of := range []int{1, 4} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			x := newPartitioned(t, of)
			layout := jetstream.NewLayout(x.js)
			const sessions = 40
			used := map[string]int{}
			for i := range sessions {
				session := fmt.Sprint("s", i)
				x.publish(session)
				name, subjects, err := layout.Locate(t.Context(), "acme", session)
				if err != nil {
					t.Fatal(err)
				}
				used[name]++
				s, err := x.js.Stream(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if m, err := s.GetLastMsgForSubject(t.Context(), subjects[0]); err != nil || string(m.Data) != "block of "+session {
					t.Fatalf("block of %s in %s: %v", session, name, err)
				}
			}
			if len(used) != of || used[jetstream.StreamName] == 0 {
				t.Errorf("the sessions are in %v, want all of %d streams", used, of)
			}
			backlog, err := jetstream.NewBacklogReader(x.nc, "sink")
			if err != nil {
				t.Fatal(err)
			}
			if b, err := backlog.Read(t.Context()); err != nil || b.Partitions != of || b.Messages != sessions || b.Unstored != sessions || b.Limit != 64<<20 || b.OldestAt.IsZero() {
				t.Errorf("backlog %+v (%v), want %d messages", b, err, sessions)
			}
			waiting, err := jetstream.NewWaitingReader(x.nc, "sink")
			if err != nil {
				t.Fatal(err)
			}
			if w, err := waiting.Read(t.Context(), "acme"); err != nil || w.OldestAt.IsZero() || !w.More {
				t.Errorf("waiting %+v (%v)", w, err) // the blocks cannot be decoded, so there may be more frames
			}
			if w, err := waiting.Read(t.Context(), "other"); err != nil || !w.OldestAt.IsZero() {
				t.Errorf("waiting for another tenant: %+v (%v)", w, err)
			}
			x.store()
			progress, err := jetstream.ReadProgress(x.nc, "sink")
			if err != nil {
				t.Fatal(err)
			}
			all, err := progress(t.Context())
			sum := uint64(0)
			for _, p := range all {
				if sum += p.Last; p.Stored != p.Last {
					t.Errorf("progress %+v, want all stored", all)
				}
			}
			if err != nil || len(all) != of || sum != sessions {
				t.Errorf("progress %+v (%v), want %d messages", all, err, sessions)
			}
			last, err := jetstream.RollBlocks(t.Context(), x.js)
			if err != nil || len(last) != of {
				t.Fatalf("fillers %v (%v)", last, err)
			}
			x.store()
			if waits, err := jetstream.RemoveStored(t.Context(), x.js, "sink", last, 0); err != nil || waits != "" {
				t.Errorf("removing stored blocks waits for %q (%v)", waits, err)
			}
			partitions, err := jetstream.Partitions(t.Context(), x.js)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range partitions {
				if n := s.CachedInfo().State.Msgs; n != 0 {
					t.Errorf("%s has %d messages after all were removed", s.CachedInfo().Config.Name, n)
				}
			}
		})
	}
}

// The number of partitions changes once all blocks are stored. Nothing is changed before, and a
// publisher continues in the new partitions, at sequences above all earlier ones.
func TestRepartition(t *testing.T) {
	x := newPartitioned(t, 1)
	highest := uint64(0)
	before := 1
	for _, of := range []int{4, 2, 3, 1} {
		for i := range 20 {
			x.publish(fmt.Sprint("s", i))
		}
		if _, err := jetstream.EnsureStreams(t.Context(), x.js, config(of)); !errors.Is(err, jetstream.ErrPartitions) {
			t.Fatalf("from %d to %d partitions: %v", before, of, err)
		}
		if err := jetstream.Repartition(t.Context(), x.js, config(of)); !errors.Is(err, jetstream.ErrNotEmpty) {
			t.Fatalf("from %d to %d partitions with blocks that are not stored: %v", before, of, err)
		}
		if _, err := jetstream.EnsureStreams(t.Context(), x.js, config(before)); err != nil {
			t.Fatalf("the refusal changed the %d partitions: %v", before, err)
		}
		x.store()
		old, err := jetstream.Partitions(t.Context(), x.js)
		if err != nil || len(old) != before {
			t.Fatalf("%d partitions (%v), want %d", len(old), err, before)
		}
		for _, s := range old {
			highest = max(highest, s.CachedInfo().State.LastSeq)
		}
		if err := jetstream.Repartition(t.Context(), x.js, config(of)); err != nil {
			t.Fatalf("from %d to %d partitions: %v", before, of, err)
		}
		if _, err := jetstream.EnsureStreams(t.Context(), x.js, config(of)); err != nil {
			t.Fatalf("after the change to %d partitions: %v", of, err)
		}
		x.publish("after")
		name, subjects, err := jetstream.NewLayout(x.js).Locate(t.Context(), "acme", "after")
		if err != nil {
			t.Fatal(err)
		}
		s, err := x.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.GetLastMsgForSubject(t.Context(), subjects[0])
		if err != nil || m.Sequence <= highest {
			t.Fatalf("a block of %d partitions has the sequence %v (%v), want more than %d", of, m, err, highest)
		}
		before = of
	}
}

// closed reports whether all partitions receive no more blocks.
func closed(ctx context.Context, js njs.JetStream) bool {
	partitions, err := jetstream.Partitions(ctx, js)
	return err == nil && !slices.ContainsFunc(partitions, func(s njs.Stream) bool {
		return !strings.HasPrefix(s.CachedInfo().Config.Subjects[0], jetstream.DrainPrefix)
	})
}

// A change that was interrupted after the partitions were closed is completed by the next attempt.
// Meanwhile blocks are refused, so that they are spooled, and none is lost.
func TestRepartitionInterrupted(t *testing.T) {
	x := newPartitioned(t, 2)
	x.publish("before")
	x.store()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // cancels it while it waits for messages in flight
		defer cancel()
		for ctx.Err() == nil && !closed(ctx, x.js) {
			time.Sleep(10 * time.Millisecond) // the interval of asking
		}
	}()
	if err := jetstream.Repartition(ctx, x.js, config(4)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	block := ingest.EncodedBlock{Tenant: "acme", Session: "s", Frames: 1, Data: []byte("block")}
	if err := x.p.Publish(t.Context(), block, func(err error) { result <- err }); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Receive(t, result); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a block was answered %v by closed partitions", err)
	}
	if err := jetstream.Repartition(t.Context(), x.js, config(4)); err != nil {
		t.Fatal(err)
	}
	x.publish("s")
	if partitions, err := jetstream.Partitions(t.Context(), x.js); err != nil || len(partitions) != 4 {
		t.Errorf("%d partitions (%v), want 4", len(partitions), err)
	}
}

// A change that JetStream refused after some of the new partitions were created is completed by the
// next attempt.
func TestRepartitionRefused(t *testing.T) {
	for _, before := range []int{1, 2} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			x := newPartitioned(t, before)
			x.publish("before")
			x.store()
			foreign := njs.StreamConfig{Name: "FOREIGN", Subjects: []string{"tapedeck.partition.4.3.>"}}
			if _, err := x.js.CreateStream(t.Context(), foreign); err != nil {
				t.Fatal(err)
			}
			if err := jetstream.Repartition(t.Context(), x.js, config(4)); err == nil {
				t.Fatal("two streams have the same subject")
			}
			if err := x.js.DeleteStream(t.Context(), foreign.Name); err != nil {
				t.Fatal(err)
			}
			if err := jetstream.Repartition(t.Context(), x.js, config(4)); err != nil {
				t.Fatal(err)
			}
			x.publish("after")
			if _, err := jetstream.EnsureStreams(t.Context(), x.js, config(4)); err != nil {
				t.Error(err)
			}
		})
	}
}

// JetStream has room for the limit of the blocks once. The number of partitions can be changed
// nevertheless: the limit of all partitions together is at no time above it.
func TestRepartitionOnASmallDisk(t *testing.T) {
	nc, err := localtest.Broker(t, broker.Options{Dir: t.TempDir(), MaxStore: 110 << 20}).Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []int{1, 4, 2, 1} {
		c := jetstream.Config{MaxBytes: 55 << 20, Partitions: of}
		if err := jetstream.Repartition(t.Context(), js, c); err != nil {
			t.Fatalf("to %d partitions: %v", of, err)
		}
		if _, err := jetstream.EnsureStreams(t.Context(), js, c); err != nil {
			t.Fatalf("%d partitions: %v", of, err)
		}
	}
}

// A server with another number of partitions opens a partition while it is being replaced. The
// partition, which may receive blocks again, is not removed.
func TestRepartitionOpenedMeanwhile(t *testing.T) {
	x := newPartitioned(t, 2)
	old, err := x.js.Stream(t.Context(), jetstream.PartitionName(1))
	if err != nil {
		t.Fatal(err)
	}
	opened := old.CachedInfo().Config
	result := make(chan error, 1)
	go func() { result <- jetstream.Repartition(t.Context(), x.js, config(4)) }()
	bounded.Until(t, "the partition is closed", func() bool {
		s, err := x.js.Stream(t.Context(), opened.Name)
		return err == nil && s.CachedInfo().Config.Subjects[0] != opened.Subjects[0]
	})
	if _, err := x.js.UpdateStream(t.Context(), opened); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Receive(t, result); err == nil {
		t.Error("an opened partition was replaced")
	}
	s, err := x.js.Stream(t.Context(), opened.Name)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CachedInfo().Config.Subjects[0]; got != opened.Subjects[0] {
		t.Errorf("the opened partition has the subject %s", got)
	}
}

// One answer reads at most 64 MiB of what waits in all partitions together, and says that there may be
// more.
func TestWaitingReadsPartitionsTogether(t *testing.T) {
	x := newPartitioned(t, 4)
	if _, err := jetstream.EnsureStreams(t.Context(), x.js, jetstream.Config{MaxBytes: 256 << 20, Partitions: 4}); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 1<<20-64<<10) // below max_payload
	for i := range 4 {
		p := ingest.Partition{Index: i, Of: 4}
		for range 20 { // 75 MiB in all partitions, less than 64 MiB in each
			m := &nats.Msg{Subject: p.Subject("acme", "s"), Data: data, Header: nats.Header{}}
			m.Header.Set(jetstream.HeaderContents, "1 0123456789ab")
			if _, err := x.js.PublishMsg(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	partitions, err := jetstream.Partitions(t.Context(), x.js)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range partitions {
		if n := s.CachedInfo().State.Msgs; n == 0 || n > 20 {
			t.Fatalf("%s has %d messages", s.CachedInfo().Config.Name, n)
		}
	}
	reader, err := jetstream.NewWaitingReader(x.nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	w, err := reader.Read(t.Context(), "acme")
	if err != nil || !w.More || w.Frames > 72 {
		t.Errorf("%d frames wait, more: %v (%v)", w.Frames, w.More, err)
	}
}
