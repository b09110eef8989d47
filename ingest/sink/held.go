package sink

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/metric"
)

// extendEvery is the interval at which the acknowledgement timers of held messages are
// reset: short enough that one or two lost resets are harmless.
const extendEvery = ackWait / 3

// held has the messages that the sink has received and not settled, from their arrival until
// they are acknowledged or returned. It bounds their bytes, resets their acknowledgement
// timers, and recognises a redelivery of one of them. It is safe for use by many goroutines.
type held struct {
	limit int           // bytes
	freed chan struct{} // holds a token if something was settled since awaitRoom last checked

	mu       sync.Mutex // guards what follows
	messages map[place]*heldMessage
	bytes    int
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
}

// newHeld returns an empty set that holds up to limit bytes.
func newHeld(limit int) *held {
	return &held{limit: limit, freed: make(chan struct{}, 1), messages: map[place]*heldMessage{}}
}

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
	own := &heldMessage{Msg: m, held: h, place: at, size: len(m.Data()), since: now}
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
	select {
	case h.freed <- struct{}{}:
	default:
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
	return len(h.messages) == 0 || h.bytes+n <= h.limit
}

// awaitRoom waits until n more bytes may be held, or ctx ends.
func (h *held) awaitRoom(ctx context.Context, n int) error {
	for !h.roomFor(n) {
		select {
		case <-h.freed:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
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
