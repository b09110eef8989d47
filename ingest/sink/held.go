package sink

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/memorylimit"
	"tapedeck/internal/metric"
)

// extendEvery is the interval at which the acknowledgement timers of held messages are reset. It is
// short enough that one or two lost resets are harmless.
const extendEvery = ackWait / 3

// held holds the messages that the sink has received and not settled: from their arrival until they
// are acknowledged or returned. It bounds their bytes, resets their acknowledgement timers, and
// recognises redeliveries of them. It is safe for use by many goroutines.
type held struct {
	limit int // maximum bytes of all messages

	mu       sync.Mutex // guards the fields below
	messages map[place]*heldMessage
	bytes    int
	garbage  int            // number of settled messages that still count in bytes
	bulk     map[string]int // number of bulk messages that have blocks of a stream, by its short name
	settled  chan struct{}  // closed and replaced when a message is settled; nil without waiters
}

// place identifies a message. stored distinguishes it from a message with the same sequence in a
// recreated stream.
type place struct {
	stream   string // of the message's partition
	sequence uint64
	stored   int64 // time at which JetStream stored the message, ns
}

// heldMessage is a message that is held until it is settled.
type heldMessage struct {
	jetstream.Msg
	held  *held
	place place
	size  int
	since time.Time
	// bulk reports that the message is stored apart: it has blocks of bulk recordings, or of streams
	// of which the set holds such a message, which is to be stored first.
	bulk    bool
	streams []string // short names of the streams
}

// newHeld returns an empty set that holds at most limit bytes.
func newHeld(limit int) *held {
	return &held{limit: limit, messages: map[place]*heldMessage{}, bulk: map[string]int{}}
}

// isBulk reports whether a message is stored apart.
func isBulk(m jetstream.Msg) bool {
	own, is := m.(*heldMessage)
	return is && own.bulk
}

// apart reports whether a message with blocks of these streams is stored apart. mu is held.
func (h *held) apart(m jetstream.Msg, streams []string) bool {
	return m.Headers().Get(stream.HeaderBulk) != "" ||
		slices.ContainsFunc(streams, func(name string) bool { return h.bulk[name] > 0 })
}

// countBulk adds n for each stream of a bulk message. mu is held.
func (h *held) countBulk(m *heldMessage, n int) {
	if !m.bulk {
		return
	}
	for _, name := range m.streams {
		if h.bulk[name] += n; h.bulk[name] == 0 {
			delete(h.bulk, name)
		}
	}
}

// add adds a message that has arrived. It returns nil if the same message is held already.
func (h *held) add(m jetstream.Msg, now time.Time) jetstream.Msg {
	meta, err := m.Metadata()
	if err != nil {
		return m // JetStream expects no answer to it, so it is not counted
	}
	at := place{meta.Stream, meta.Sequence.Stream, meta.Timestamp.UnixNano()}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.messages[at] != nil {
		redeliveries.Inc()
		return nil
	}
	own := &heldMessage{Msg: m, held: h, place: at, size: len(m.Data()), since: now, streams: stream.StreamsOf(m.Headers())}
	own.bulk = h.apart(m, own.streams)
	h.countBulk(own, 1)
	h.messages[at] = own
	h.bytes += own.size
	heldBytes.Add(float64(own.size))
	heldMessages.Inc()
	return own
}

// remove removes a message that is about to be settled.
func (m *heldMessage) remove() {
	h := m.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.messages[m.place] != m {
		return
	}
	delete(h.messages, m.place)
	h.countBulk(m, -1)
	heldBytes.Sub(float64(m.size))
	heldMessages.Dec()
	if memorylimit.AfterCollection(int64(m.size), func() { h.collected(m.size) }) {
		h.garbage++
	} else {
		h.bytes -= m.size
	}
	h.wake()
}

// collected subtracts a message that was settled and is collected now.
func (h *held) collected(size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.garbage--
	h.bytes -= size
	h.wake()
}

// wake wakes those that wait for a message to be settled. mu is held.
func (h *held) wake() {
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

// roomFor reports whether n more bytes may be held. If no message is held, any number of bytes may
// be.
func (h *held) roomFor(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hasRoom(n)
}

// hasRoom implements roomFor. mu is held.
func (h *held) hasRoom(n int) bool {
	return len(h.messages) == 0 && h.garbage == 0 || h.bytes+n <= h.limit
}

// awaitRoom waits until n more bytes may be held, or until ctx ends.
func (h *held) awaitRoom(ctx context.Context, n int) error {
	return h.await(ctx, func() bool { return h.hasRoom(n) })
}

// awaitEarlier waits until no message is held that is not stored apart and arrived in its partition
// before one of messages, or until ctx ends. So the first blocks of a bulk recording, which do not have the
// header yet, are stored before its other blocks.
func (h *held) awaitEarlier(ctx context.Context, messages []jetstream.Msg) error {
	last := map[string]uint64{} // by partition
	for _, m := range messages {
		if own, is := m.(*heldMessage); is {
			last[own.place.stream] = max(last[own.place.stream], own.place.sequence)
		}
	}
	return h.await(ctx, func() bool {
		for at, m := range h.messages {
			if !m.bulk && at.sequence < last[at.stream] {
				return false
			}
		}
		return true
	})
}

// await waits until a condition on the held messages is met, or until ctx ends. met is called with
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
		settled, garbage := h.settled, h.garbage
		h.mu.Unlock()
		if garbage > 0 {
			memorylimit.Collect()
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// extend resets the acknowledgement timers of messages that have been held for extendEvery.
func (h *held) extend(now time.Time) {
	var old []*heldMessage
	h.mu.Lock()
	for _, m := range h.messages {
		if now.Sub(m.since) >= extendEvery {
			old = append(old, m)
		}
	}
	h.mu.Unlock()
	for _, m := range old { // a message that was settled meanwhile is not pending any more
		_ = m.InProgress() // if the reset is lost, the message is delivered again, which is harmless
	}
}

// keepExtending calls extend at intervals until stop is called.
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
