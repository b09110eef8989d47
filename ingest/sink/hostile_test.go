package sink_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// publishBlock publishes a block of a session in a message of its own.
func (b *bench) publishBlock(session string, data []byte) {
	b.t.Helper()
	if _, err := b.js.Publish(b.t.Context(), ingest.Subject(ingest.DefaultTenant, session), data); err != nil {
		b.t.Fatal(err)
	}
}

// returned has JetStream deliver the first message and returns it, so many times.
func (b *bench) returned(times int) {
	b.t.Helper()
	stream, err := b.js.Stream(b.t.Context(), jetstream.StreamName)
	if err != nil {
		b.t.Fatal(err)
	}
	consumer, err := stream.CreateOrUpdateConsumer(b.t.Context(), njs.ConsumerConfig{
		Durable: sink.ConsumerName, AckPolicy: njs.AckExplicitPolicy, MaxDeliver: -1, DeliverPolicy: njs.DeliverAllPolicy,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for range times {
		m, err := consumer.Next(njs.FetchMaxWait(bounded.Limit))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := m.Nak(); err != nil {
			b.t.Fatal(err)
		}
	}
}

// waitLetters waits until so many blocks were set aside.
func (b *bench) waitLetters(n uint64) {
	b.t.Helper()
	bounded.Until(b.t, "blocks are set aside", func() bool { return b.deadLetters() == n })
}

// claiming is a block whose head states a body of so many bytes.
func claiming(session string, size uint32) []byte {
	data := oneFrame(session)
	binary.LittleEndian.PutUint32(data[5:], size)
	return data
}

// A block of a later version that no sink stores becomes a dead letter, so that JetStream may remove what
// was stored after it. The other blocks of its message are stored.
func TestLaterVersionSetAside(t *testing.T) {
	b := newBench(t)
	later := oneFrame("later")
	later[3] = 0xff // the format version
	nested := block.AppendBundle(nil, []block.Entry{entry("c", oneFrame("c"))})
	b.publishBundle(entry("a", oneFrame("a")), entry("later", later), entry("nested", nested))
	b.returned(6)
	b.run(sink.Options{})
	b.waitLetters(2)
	b.eventually("SELECT count() FROM frames FINAL WHERE session_id = 'a'", 1)
	b.waitAcked()
	for i, session := range []string{"later", "nested"} {
		if reason, subject := b.deadLetter(uint64(i + 1)); !strings.Contains(reason, "unknown version") || subject != ingest.Subject("acme", session) {
			t.Errorf("the dead letter is %q of %s", reason, subject)
		}
	}
}

// A block that claims more than a sink decodes is set aside unread. A message whose blocks claim too much
// together is divided, so that each of them is decoded by itself.
func TestLargeClaims(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	b.publishBlock("huge", claiming("huge", 500<<20))
	b.waitLetters(1)
	if reason, _ := b.deadLetter(1); !strings.Contains(reason, "over the limit") {
		t.Errorf("the dead letter is %q", reason)
	}
	b.publishBundle(entry("a", oneFrame("a")), entry("b", claiming("b", 100<<20)), entry("c", claiming("c", 100<<20)))
	b.eventually("SELECT count() FROM frames FINAL WHERE session_id = 'a'", 1)
	b.waitLetters(3)
	b.waitAcked()
	stream, err := b.js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	if last := stream.CachedInfo().State.LastSeq; last != 2+3 {
		t.Errorf("JetStream received %d messages, want the two that were published and one of each block", last)
	}
}

// A block without a session, or that ends a segment of one, is set aside: rows without a session stand
// for a whole tenant elsewhere.
func TestNoSession(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	b.publishBlock("s", oneFrame(""))
	b.publishBlock("s", block.Encode(nil, &block.Block{
		Session: "s", State: schema.StreamState{StreamID: schema.NewStreamID()}, Left: []block.Left{{}},
	}, block.S2))
	b.publishBlock("s", oneFrame("s"))
	b.eventually("SELECT count() FROM frames FINAL", 1)
	b.waitLetters(2)
	b.waitAcked()
	if n := b.number("SELECT count() FROM streams WHERE session_id = ''"); n > 0 {
		t.Errorf("%d streams without a session are stored", n)
	}
	if reason, _ := b.deadLetter(1); !strings.Contains(reason, "names no session") {
		t.Errorf("the dead letter is %q", reason)
	}
}

// A block for which ClickHouse has too little memory delays no other block, and is set aside once it was
// delivered often.
func TestMemoryForOneBlock(t *testing.T) {
	b := limitedBench(t, 30<<20)
	large := func(session string) []byte {
		return block.Encode(nil, &block.Block{
			Session: session, State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1},
			Frames: []schema.Frame{{At: ingest.Now(), Raw: make([]byte, 50<<20)}},
		}, block.S2)
	}
	b.publishBlock("often", large("often"))
	b.returned(18)
	b.publishBlock("small", oneFrame("small"))
	b.publishBlock("large", large("large"))
	b.publishBlock("last", oneFrame("last"))
	b.run(sink.Options{BatchAge: time.Second, BatchBytes: 1 << 30})
	b.eventually("SELECT count() FROM frames FINAL WHERE session_id IN ('small', 'last')", 2)
	b.waitLetters(1)
	if reason, subject := b.deadLetter(1); !strings.Contains(strings.ToLower(reason), "memory limit") || subject != ingest.Subject("default", "often") {
		t.Errorf("the dead letter is %q of %s", reason, subject)
	}
	b.waitLeft(1) // it is delivered again later
}
