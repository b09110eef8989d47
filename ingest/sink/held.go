package sink

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric"
)

// extendEvery is the interval at which the acknowledgement timers of held messages are
// reset: short enough that one or two lost resets are harmless.
const extendEvery = ackWait / 3

// held has the messages that the sink has received and not settled, from their arrival until
// they are acknowledged or returned. It bounds their bytes, resets their acknowledgement
// timers, and recognises a redelivery of one of them. It is safe for use by many goroutines.
type held struct {
	limit int // bytes

	mu       sync.Mutex // guards what follows
	messages map[place]*heldMessage
	bytes    int
	settled  chan struct{} // closed and replaced when a message was answered; nil while nobody waits
}

// place identifies a message of a JetStream stream. The time tells it from the message of the
// same number in a stream that was made anew.
type place struct {
	sequence uint64
	stored   int64 // ns
}

// heldMessage is a message that is held until it is answered.
type heldMessage struct {
	jetstream.Msg
	held  *held
	place place
	size  int
	since time.Time
	bulk  bool // it is stored apart from others: see stream.HeaderBulk
}

// newHeld returns an empty set that holds up to limit bytes.
func newHeld(limit int) *held {
	return &held{limit: limit, messages: map[place]*heldMessage{}}
}

// isBulk reports whether a message is of a bulk recording.
func isBulk(m jetstream.Msg) bool { return m.Headers().Get(stream.HeaderBulk) != "" }

// add adds a message that has arrived. It returns nil if the message is held already.
func (h *held) add(m jetstream.Msg, now time.Time) jetstream.Msg {
	meta, err := m.Metadata()
	if err != nil {
		return m // its answers reach nobody, and it is not counted
	}
	at := place{meta.Sequence.Stream, meta.Timestamp.UnixNano()}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.messages[at] != nil {
		redeliveries.Inc()
		return nil
	}
	own := &heldMessage{Msg: m, held: h, place: at, size: len(m.Data()), since: now, bulk: isBulk(m)}
	h.messages[at] = own
	h.bytes += own.size
	heldBytes.Add(float64(own.size))
	heldMessages.Inc()
	return own
}

// remove removes a message that is about to be answered.
func (m *heldMessage) remove() {
	h := m.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.messages[m.place] != m {
		return
	}
	delete(h.messages, m.place)
	h.bytes -= m.size
	heldBytes.Sub(float64(m.size))
	heldMessages.Dec()
	if h.settled != nil {
		close(h.settled)
		h.settled = nil
	}
}

// Ack implements jetstream.Msg.
func (m *heldMessage) Ack() error {
	m.remove()
	return m.Msg.Ack()
}

// Nak implements jetstream.Msg.
func (m *heldMessage) Nak() error {
	m.remove()
	return m.Msg.Nak()
}

// NakWithDelay implements jetstream.Msg.
func (m *heldMessage) NakWithDelay(delay time.Duration) error {
	m.remove()
	return m.Msg.NakWithDelay(delay)
}

// roomFor reports whether n more bytes may be held. An empty set has room for any number.
func (h *held) roomFor(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hasRoom(n)
}

// hasRoom is roomFor. mu is held.
func (h *held) hasRoom(n int) bool { return len(h.messages) == 0 || h.bytes+n <= h.limit }

// awaitRoom waits until n more bytes may be held, or ctx ends.
func (h *held) awaitRoom(ctx context.Context, n int) error {
	return h.await(ctx, func() bool { return h.hasRoom(n) })
}

// awaitEarlier waits until no message is held that is not of a bulk recording and came before one
// of these, or ctx ends. So the first blocks of a bulk recording are stored before the others.
func (h *held) awaitEarlier(ctx context.Context, messages []jetstream.Msg) error {
	last := uint64(0)
	for _, m := range messages {
		if own, is := m.(*heldMessage); is {
			last = max(last, own.place.sequence)
		}
	}
	return h.await(ctx, func() bool {
		for at, m := range h.messages {
			if !m.bulk && at.sequence < last {
				return false
			}
		}
		return true
	})
}

// await waits until a condition on what is held is met, or ctx ends. The condition is checked with
// mu held.
func (h *held) await(ctx context.Context, met func() bool) error {
	for {
		h.mu.Lock()
		if met() {
			h.mu.Unlock()
			return ctx.Err()
		}
		if h.settled == nil {
			h.settled = make(chan struct{})
		}
		settled := h.settled
		h.mu.Unlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// extend resets the acknowledgement timers of messages that were held for extendEvery.
func (h *held) extend(now time.Time) {
	var old []*heldMessage
	h.mu.Lock()
	for _, m := range h.messages {
		if now.Sub(m.since) >= extendEvery {
			old = append(old, m)
		}
	}
	h.mu.Unlock()
	for _, m := range old { // one that was answered meanwhile is not pending any more
		_ = m.InProgress() // if it is lost, the message is delivered again, which is harmless
	}
}

// keepExtending has extend called until stop is called.
func (h *held) keepExtending() (stop func()) {
	done := make(chan struct{})
	var extending sync.WaitGroup
	extending.Go(func() {
		tick := time.NewTicker(extendEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				h.extend(now)
			}
		}
	})
	return func() {
		close(done)
		extending.Wait()
	}
}

var (
	heldBytes = metric.Gauge(metric.Sink, "tapedeck_sink_held_bytes",
		"Bytes of messages that the sink has received from JetStream and not stored; --sink-held-bytes bounds them.")
	heldMessages = metric.Gauge(metric.Sink, "tapedeck_sink_held_messages",
		"Messages that the sink has received from JetStream and not stored.")
	redeliveries = metric.Counter(metric.Sink, "tapedeck_sink_dropped_redeliveries_total",
		"Messages that JetStream delivered again while the sink held them, and that were dropped.")
)
