package jetstream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// waitingRig is a JetStream without a sink.
type waitingRig struct {
	t       *testing.T
	nc      *nats.Conn
	js      njs.JetStream
	results ingesttest.Results
	reader  *jetstream.WaitingReader
	latest  time.Time // of the latest answer
}

func newWaitingRig(t *testing.T) *waitingRig {
	t.Helper()
	r := &waitingRig{t: t, nc: localtest.NATS(t)}
	var err error
	if r.js, err = njs.New(r.nc); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), r.js, jetstream.Config{MaxBytes: 1 << 28}); err != nil {
		t.Fatal(err)
	}
	if r.reader, err = jetstream.NewWaitingReader(r.nc, "sink"); err != nil {
		t.Fatal(err)
	}
	return r
}

func encoded(tenant, session, stream string, frames int) []byte {
	b := block.Block{Tenant: tenant, Session: session, State: schema.StreamState{StreamID: stream}}
	for i := range frames {
		b.Frames = append(b.Frames, schema.Frame{Seq: uint64(i), At: time.Now().UnixNano(), Raw: []byte("{}\n")})
	}
	return block.Encode(nil, &b, block.S2)
}

// publish publishes blocks of 10 frames for sessions of a stream, as recordings do.
func (r *waitingRig) publish(tenant, stream string, sessions int) {
	r.t.Helper()
	p, err := jetstream.NewPublisher(r.nc)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range sessions {
		id := fmt.Sprintf("%s.1.%d", stream, i)
		session := fmt.Sprint("s-", i)
		err := p.Publish(r.t.Context(), ingest.EncodedBlock{
			Tenant: tenant, Session: session, ID: id, Frames: 10, Data: encoded(tenant, session, stream, 10),
		}, r.results.Of(r.t, id))
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.results.Wait(r.t)
}

// send publishes a block of 10 frames with a header that may be anything.
func (r *waitingRig) send(tenant, stream, header string) {
	r.t.Helper()
	m := &nats.Msg{Subject: ingest.Subject(tenant, "sent"), Data: encoded(tenant, "sent", stream, 10), Header: nats.Header{}}
	if header != "" {
		m.Header.Set(jetstream.HeaderContents, header)
	}
	if _, err := r.js.PublishMsg(r.t.Context(), m); err != nil {
		r.t.Fatal(err)
	}
}

// read returns an answer that was not returned before.
func (r *waitingRig) read(tenant string) (w jetstream.Waiting) {
	r.t.Helper()
	bounded.Until(r.t, "another answer", func() bool {
		var err error
		if w, err = r.reader.Read(context.Background(), tenant); err != nil {
			r.t.Fatal(err)
		}
		return w.At.After(r.latest)
	})
	r.latest = w.At
	return w
}

func (r *waitingRig) want(tenant string, frames uint64, streams int, decoded uint64) {
	r.t.Helper()
	w := r.read(tenant)
	if w.Frames != frames || w.Streams != streams || w.More || w.OldestAt.IsZero() != (frames == 0) {
		r.t.Errorf("tenant %s: %+v, want %d frames of %d streams", tenant, w, frames, streams)
	}
	if got := r.reader.Decoded(); got != decoded {
		r.t.Errorf("%d blocks were decoded, want %d", got, decoded)
	}
}

// What recordings published is counted without decoding a block. A block without the header is
// decoded once.
func TestWaitingDecodes(t *testing.T) {
	r := newWaitingRig(t)
	one, two := schema.NewStreamID(), schema.NewStreamID()
	r.publish("a", one, 500)
	for range 3 {
		r.want("a", 5000, 1, 0)
	}
	r.publish("a", two, 3)
	r.want("a", 5030, 2, 0)
	r.send("a", two, "")
	for range 3 {
		r.want("a", 5040, 2, 1)
	}
}

// A header that does not state the truth changes the counts of its own tenant, and neither when
// something waits nor whether frames of a period do. A header of another form is not used.
func TestWaitingWrongContents(t *testing.T) {
	r := newWaitingRig(t)
	stream := schema.NewStreamID()
	r.publish("b", stream, 1)
	r.send("a", stream, "7000 000000000001 000000000002")
	r.send("a", stream, "0 000000000001")
	r.want("a", 7000, 2, 0)
	r.want("b", 10, 1, 0)
	in, err := r.reader.HasFramesIn(t.Context(), "a", time.Now().Add(-time.Minute), time.Now())
	if err != nil || !in {
		t.Errorf("frames of the last minute: %v, %v", in, err)
	}
	before, frames := r.reader.Decoded(), uint64(7000)
	for _, header := range []string{
		" ", "10", "10 ", "10 1", "-1 000000000001", "x 000000000001", "2147483648 000000000001",
		"10  000000000001", "1" + strings.Repeat(" 000000000001", 1025),
	} {
		r.send("a", stream, header)
		before, frames = before+1, frames+10
		r.want("a", frames, 3, before)
	}
}

// What is removed without being stored does not wait.
func TestWaitingRemoved(t *testing.T) {
	r := newWaitingRig(t)
	r.publish("a", schema.NewStreamID(), 1)
	r.want("a", 10, 1, 0)
	r.send("a", schema.NewStreamID(), "")
	r.want("a", 20, 2, 1)
	s, err := r.js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	r.want("a", 10, 1, 1)
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.want("a", 0, 0, 1)
	r.publish("a", schema.NewStreamID(), 1)
	r.want("a", 10, 1, 1)
}
