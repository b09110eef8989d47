package sink

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric/metrictest"
)

// endless is an iterator of messages of a size. Drained, it has two more, as if they had been on
// their way.
type endless struct {
	size     int
	next     *uint64
	drained  bool
	leftover int
}

func (e *endless) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	if e.drained {
		if e.leftover--; e.leftover < 0 {
			return nil, jetstream.ErrMsgIteratorClosed
		}
	}
	*e.next++
	return &recordedMessage{data: make([]byte, e.size), sequence: *e.next}, nil
}

func (e *endless) Stop() {}

func (e *endless) Drain() { e.drained, e.leftover = true, 2 }

// The receiver stops when what it holds leaves no room for another pull, and receives again when
// messages are answered. What is under way then is received too, and counted.
func TestBudgetOfBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, limit, pull = 1 << 10, 10 << 10, 3 << 10
		var sequence uint64
		holding, to := newHeld(limit), newLanes()
		r := receiver{held: holding, room: pull, to: to}
		r.subscribe = func() (iterator, error) { return &endless{size: size, next: &sequence}, nil }
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.run(ctx, ctx) }()
		var all []jetstream.Msg
		for round, want := range []int{10, 13} { // each time at most pull arrives beyond limit-pull
			synctest.Wait()
			if n := len(all) + len(to.others); n != want || holding.bytes > limit {
				t.Errorf("round %d: %d messages of %d bytes have come, want %d; %d are held of %d", round, n, size, want, holding.bytes, limit)
			}
			for len(to.others) > 0 {
				all = append(all, (<-to.others).msg)
			}
			for _, m := range all[:3] {
				_ = m.Ack()
			}
		}
		cancel()
		synctest.Wait()
		if len(ended) != 1 {
			t.Error("the receiver has not ended")
		}
	})
}

// A message that is delivered again while it is held is dropped. One that was answered, or of a
// stream that was made anew, is not.
func TestRedeliveryOfHeld(t *testing.T) {
	metrictest.Grow(t, "tapedeck_sink_dropped_redeliveries_total")
	holding := newHeld(1 << 20)
	now := time.Now()
	first := holding.add(&recordedMessage{sequence: 7, data: []byte("x")}, now)
	if again := holding.add(&recordedMessage{sequence: 7, data: []byte("x")}, now); again != nil {
		t.Error("a message that is held was passed on a second time")
	}
	if anew := holding.add(&recordedMessage{sequence: 7, stored: now.Add(time.Hour), data: []byte("y")}, now); anew == nil {
		t.Error("a message of a new stream was dropped")
	}
	_ = first.Nak()
	if again := holding.add(&recordedMessage{sequence: 7, data: []byte("x")}, now); again == nil {
		t.Error("a message that was returned was dropped when it came again")
	}
	if holding.bytes != 2 || len(holding.messages) != 2 {
		t.Errorf("%d bytes in %d messages are held, want 2 in 2", holding.bytes, len(holding.messages))
	}
	metrictest.Show(t, "tapedeck_sink_held_bytes", "tapedeck_sink_held_messages")
}

// Every message that is held has its timer reset before JetStream would deliver it again, wherever
// it waits, until it is answered.
func TestTimersOfHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		holding := newHeld(1 << 20)
		stop := holding.keepExtending()
		one, two := &recordedMessage{sequence: 1}, &recordedMessage{sequence: 2}
		first := holding.add(one, time.Now())
		holding.add(two, time.Now())
		time.Sleep(3*ackWait + time.Second)
		_ = first.Ack()
		time.Sleep(3 * ackWait)
		stop()
		if n := strings.Count(strings.Join(one.words, " "), "in progress"); n < 8 || n > 10 || one.words[len(one.words)-1] != "ack" {
			t.Errorf("the message that was held for 31 s was answered %q", one.words)
		}
		if n := len(two.words); n < 16 {
			t.Errorf("the message that was held for 61 s had its timer reset %d times", n)
		}
	})
}

// Blocks of bulk recordings are stored after the others that came before them, and not after later
// ones.
func TestEarlierFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		holding := newHeld(1 << 20)
		now := time.Now()
		early := holding.add(&recordedMessage{sequence: 1}, now)
		bulk := holding.add(&recordedMessage{sequence: 2, header: nats.Header{stream.HeaderBulk: {"1"}}}, now)
		holding.add(&recordedMessage{sequence: 3}, now)
		done := make(chan error, 1)
		go func() { done <- holding.awaitEarlier(t.Context(), []jetstream.Msg{bulk}) }()
		synctest.Wait()
		if len(done) > 0 {
			t.Error("the block of a bulk recording did not wait for one before it")
		}
		_ = early.Ack()
		synctest.Wait()
		if len(done) == 0 {
			t.Error("the block of a bulk recording waits for one after it")
		}
	})
}

// A message of a stream of which a bulk message is held is stored after it, whatever its header.
func TestBulkStreamStaysApart(t *testing.T) {
	holding := newHeld(1 << 20)
	sequence := uint64(0)
	add := func(header nats.Header, streams string) jetstream.Msg {
		sequence++
		header.Set(stream.HeaderContents, "10 "+streams)
		return holding.add(&recordedMessage{sequence: sequence, header: header}, time.Now())
	}
	const one, two, three = "000000000001", "000000000002", "000000000003"
	bulk := []jetstream.Msg{
		add(nats.Header{stream.HeaderBulk: {"1"}}, one+" "+two),
		add(nats.Header{}, two+" "+three),
		add(nats.Header{}, three),
	}
	if isBulk(add(nats.Header{}, "000000000004")) {
		t.Error("a message of another stream is stored apart")
	}
	for i, m := range bulk {
		if !isBulk(m) {
			t.Errorf("message %d is not stored apart", i)
		}
		_ = m.Ack()
	}
	if isBulk(add(nats.Header{}, one+" "+two+" "+three)) {
		t.Error("a message is stored apart though all bulk messages of its streams are stored")
	}
}
