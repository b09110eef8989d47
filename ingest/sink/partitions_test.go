package sink_test

import (
	"context"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
)

// newPartitionedBench is newBench with partitions.
func newPartitionedBench(t *testing.T, partitions int) *bench {
	t.Helper()
	b := newBench(t)
	b.repartition(partitions)
	return b
}

// repartition changes the number of partitions, once the sinks have stored all blocks.
func (b *bench) repartition(partitions int) {
	b.t.Helper()
	c := jetstream.Config{MaxBytes: 1 << 30, Partitions: partitions}
	bounded.Until(b.t, "the number of partitions changes", func() bool {
		return jetstream.Repartition(b.t.Context(), b.js, c) == nil
	})
	if _, err := jetstream.EnsureStreams(b.t.Context(), b.js, c); err != nil {
		b.t.Fatal(err)
	}
}

// allAcked waits until every partition has no message that is not acknowledged.
func (b *bench) allAcked() {
	b.t.Helper()
	bounded.Until(b.t, "all messages of all partitions are acknowledged", func() bool {
		partitions, err := jetstream.Partitions(b.t.Context(), b.js)
		if err != nil {
			return false
		}
		for _, s := range partitions {
			c, err := s.Consumer(b.t.Context(), sink.ConsumerName)
			if err != nil || !b.drained(s, c.CachedInfo()) {
				return false
			}
		}
		return true
	})
}

// Sinks that join and leave under load share all partitions: every frame is stored, once.
func TestSinksSharePartitions(t *testing.T) {
	fulltest.Long(t)
	for _, of := range []int{1, 4} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			b := newPartitionedBench(t, of)
			b.run(sink.Options{BatchFrames: 100})
			const sessions, frames, rounds = 12, 200, 4
			for round := range rounds {
				_, stop := b.run(sink.Options{BatchFrames: 70})
				for i := range sessions {
					b.record(fmt.Sprint("s", round, "-", i), frames)
				}
				stop() // with blocks that it has received
			}
			for round := range rounds {
				for i := range sessions {
					b.check(fmt.Sprint("s", round, "-", i), frames)
				}
			}
			b.allAcked()
		})
	}
}

// A partition that is unavailable does not delay the others, and is stored when it is back.
func TestPartitionAway(t *testing.T) {
	b := newPartitionedBench(t, 4)
	s, _ := b.run(sink.Options{})
	layout := jetstream.NewLayout(b.js)
	home := func(session string) string {
		name, _, err := layout.Locate(t.Context(), "default", session)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	first, away := "s0", ""
	for i := 1; away == ""; i++ {
		if session := fmt.Sprint("s", i); home(session) != home(first) && home(session) != jetstream.StreamName {
			away = session
		}
	}
	b.record(away, 20)
	b.check(away, 20)
	b.allAcked()
	stream, err := b.js.Stream(t.Context(), home(away))
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	if err := b.js.DeleteStream(t.Context(), config.Name); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the sink reports the partition", func() bool { return !s.Status().OK })
	b.record(first, 20)
	b.check(first, 20)
	if st := s.Status(); st.OK || st.Trouble != "JetStream" {
		t.Errorf("the status is %+v after an insert of another partition", st)
	}
	if _, err := b.js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	b.record(away+"-again", 20)
	b.record(away, 20)
	bounded.Until(t, "the partition is consumed again", func() bool {
		partition, err := b.js.Stream(t.Context(), config.Name)
		if err != nil {
			return false
		}
		c, err := partition.Consumer(t.Context(), sink.ConsumerName)
		return err == nil && b.drained(partition, c.CachedInfo()) && s.Status().OK
	})
}

// Sinks continue with the new partitions when their number changes under load.
func TestRepartitionUnderLoad(t *testing.T) {
	b := newPartitionedBench(t, 1)
	b.run(sink.Options{})
	next, err := jetstream.NewPublisher(b.nc)
	if err != nil {
		t.Fatal(err)
	}
	spooled, err := spool.Open(spool.Options{Dir: t.TempDir(), Next: next, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spooled.Close(context.Background()) }) // it is empty
	const frames = 100
	sessions := 0
	for _, of := range []int{4, 2} {
		changed, began := make(chan struct{}), time.Now()
		go func() {
			defer close(changed)
			c := jetstream.Config{MaxBytes: 1 << 30, Partitions: of}
			for jetstream.Repartition(t.Context(), b.js, c) != nil && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond) // between two attempts
			}
		}()
		n := 0
		for under := true; under; n++ {
			select {
			case <-changed:
				under = false // and once more
			default:
			}
			b.recordTo(spooled, fmt.Sprint("p", of, "-", n), frames)
			time.Sleep(100 * time.Millisecond) // the pace of the load
		}
		t.Logf("%d partitions after %v, with %d sessions recorded meanwhile", of, time.Since(began).Round(time.Millisecond), n)
		for i := range n {
			b.check(fmt.Sprint("p", of, "-", i), frames)
		}
		sessions += n
	}
	if sessions < 4 {
		t.Errorf("only %d sessions were recorded", sessions)
	}
	b.allAcked()
	if _, err := b.js.Stream(t.Context(), jetstream.PartitionName(2)); err == nil {
		t.Error("a partition is left over")
	}
}

// A sink that holds small messages, since ClickHouse does not answer, goes on receiving from all partitions.
func TestPartitionsWhileHolding(t *testing.T) {
	e := localtest.Engine(t, engine.Options{})
	b := benchOn(t, e.DSN())
	const partitions = 4
	b.repartition(partitions)
	b.run(sink.Options{})
	b.record("before", 100)
	b.check("before", 100)
	pid := e.Health().PID
	suspend(t, pid)
	defer func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
		b.allAcked()
	}()
	for i := range 4 * partitions {
		b.record(fmt.Sprint("s", i), 100)
	}
	bounded.Until(t, "the sink receives from all partitions, and waits for more", func() bool {
		for i := range partitions {
			c, err := b.js.Consumer(t.Context(), jetstream.PartitionName(i), sink.ConsumerName)
			if err != nil || c.CachedInfo().NumPending > 0 || c.CachedInfo().NumWaiting == 0 {
				return false
			}
		}
		return true
	})
}

// A block that a sink sets aside has the subject without partitions, so that it can be stored with
// another number of partitions, and by a version without partitions. It is stored after the change.
func TestLettersWithoutPartitions(t *testing.T) {
	b := newPartitionedBench(t, 4)
	letters, err := deadletters.Open(b.nc)
	if err != nil {
		t.Fatal(err)
	}
	b.do("ALTER TABLE usage ADD CONSTRAINT none CHECK session_id != 'bad'")
	b.run(sink.Options{})
	b.record("bad", 20)
	b.allAcked()
	list, err := letters.List(t.Context(), 0, 10)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d letters (%v)", len(list), err)
	}
	var seqs []uint64
	for _, l := range list {
		if want := ingest.Subject("default", "bad"); l.Subject != want {
			t.Errorf("a letter has the subject %s, want %s", l.Subject, want)
		}
		seqs = append(seqs, l.Seq)
	}
	b.do("ALTER TABLE usage DROP CONSTRAINT none")
	b.repartition(2)
	if n, err := letters.Retry(t.Context(), seqs...); err != nil || n != len(seqs) {
		t.Fatalf("%d of %d letters were published again: %v", n, len(seqs), err)
	}
	b.check("bad", 20)
}

// A sink is ready after the number of partitions has decreased, also if no block arrives.
func TestReadyWithFewerPartitions(t *testing.T) {
	b := newPartitionedBench(t, 4)
	s, _ := b.run(sink.Options{})
	consumers := func(of int) func() bool {
		return func() bool {
			for i := range of {
				if _, err := b.js.Consumer(t.Context(), jetstream.PartitionName(i), sink.ConsumerName); err != nil {
					return false
				}
			}
			return true
		}
	}
	bounded.Until(t, "the sink consumes from four partitions", consumers(4))
	b.repartition(2)
	bounded.Until(t, "the sink reports the change", func() bool { return !s.Status().OK })
	bounded.Until(t, "the sink is ready again", func() bool { return s.Status().OK })
	if !consumers(2)() {
		t.Error("the sink is ready without its consumers")
	}
}
