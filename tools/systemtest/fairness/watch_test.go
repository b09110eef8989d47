package fairness

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/schema/block"
)

// watch records when frames of small streams are in JetStream, and when the sink has acknowledged
// them, which it does as soon as they can be read.
type watch struct {
	mu     sync.Mutex
	placed map[uint64]placed    // by the sequence in JetStream
	acked  map[uint64]time.Time // likewise; of all messages
	acks   *nats.Subscription
	blocks njs.ConsumeContext
}

// placed is the frames of a message.
type placed struct {
	at   time.Time // when JetStream stored the message
	sent []time.Time
}

// newWatch watches sessions of a tenant until stop is called.
func (s *server) newWatch(tenant string, sessions []string) *watch {
	s.t.Helper()
	w := &watch{placed: map[uint64]placed{}, acked: map[uint64]time.Time{}}
	js, err := njs.New(s.nc)
	if err != nil {
		s.t.Fatal(err)
	}
	var filters []string
	for _, session := range sessions {
		filters = append(filters, ingest.Partition{}.Filters(tenant, session)...)
	}
	slices.Sort(filters)
	consumer, err := js.OrderedConsumer(s.t.Context(), jetstream.StreamName, njs.OrderedConsumerConfig{
		FilterSubjects: slices.Compact(filters), DeliverPolicy: njs.DeliverNewPolicy,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if w.blocks, err = consumer.Consume(func(m njs.Msg) { w.place(m, sessions) }); err != nil {
		s.t.Fatal(err)
	}
	w.acks, err = s.nc.Subscribe("$JS.ACK."+jetstream.StreamName+"."+sink.ConsumerName+".>", w.ack)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
	return w
}

func (w *watch) stop() {
	w.blocks.Stop()
	_ = w.acks.Unsubscribe() // the connection may be closed
}

// place notes the frames of a message.
func (w *watch) place(m njs.Msg, sessions []string) {
	meta, err := m.Metadata()
	if err != nil {
		return
	}
	entries, err := block.Entries(m.Data(), nil)
	if err != nil {
		return
	}
	p := placed{at: meta.Timestamp}
	for _, e := range entries {
		if e.Session != "" && !slices.Contains(sessions, e.Session) {
			continue
		}
		b, err := block.Decode(e.Data)
		if err != nil || !slices.Contains(sessions, b.Session) {
			continue
		}
		for i := range b.Frames {
			p.sent = append(p.sent, sentAt(b.Frames[i].Raw))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p.sent) > 0 {
		w.placed[meta.Sequence.Stream] = p
	}
}

// ack notes an acknowledgement. Its subject is
// $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.….
func (w *watch) ack(m *nats.Msg) {
	now := time.Now()
	tokens := strings.Split(m.Subject, ".")
	if string(m.Data) != "+ACK" || len(tokens) < 6 {
		return
	}
	sequence, err := strconv.ParseUint(tokens[5], 10, 64)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, again := w.acked[sequence]; !again {
		w.acked[sequence] = now
	}
}

// stored reports whether all frames that were sent before a time and are in JetStream are stored.
func (w *watch) stored(before time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for sequence, p := range w.placed {
		if p.sent[0].Before(before) && w.acked[sequence].IsZero() {
			return false
		}
	}
	return true
}

// seen is when JetStream had a frame, and when it was stored.
type seen struct{ placed, acked time.Time }

// sent returns the frames that were sent in [from, to), by the time of sending.
func (w *watch) sent(from, to time.Time) map[time.Time]seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[time.Time]seen{}
	for sequence, p := range w.placed {
		for _, sent := range p.sent {
			if !sent.Before(from) && sent.Before(to) {
				all[sent] = seen{p.at, w.acked[sequence]}
			}
		}
	}
	return all
}
