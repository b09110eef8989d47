package jetstream_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/block"
)

// stalled is a publisher whose messages are answered only when let is called.
func stalled(t *testing.T) (p *jetstream.Publisher, sent func(n int) []*nats.Msg, let func([]*nats.Msg)) {
	t.Helper()
	nc := localtest.NATS(t)
	messages, err := nc.SubscribeSync(ingest.SubjectPrefix + ">")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = jetstream.NewPublisher(nc); err != nil {
		t.Fatal(err)
	}
	p.GatherForLong()
	sent = func(n int) (all []*nats.Msg) {
		t.Helper()
		for range n {
			m, err := messages.NextMsgWithContext(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		if err := nc.Flush(); err != nil { // whatever was sent is here
			t.Fatal(err)
		}
		if n, _, err := messages.Pending(); n != 0 || err != nil {
			t.Fatalf("%d messages more than expected, %v", n, err)
		}
		return all
	}
	let = func(all []*nats.Msg) {
		t.Helper()
		for _, m := range all {
			if err := m.Respond([]byte(`{"stream":"TAPEDECK","seq":1}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p, sent, let
}

// block4k is of the size that a bundle takes a few of.
func block4k(session string) []byte {
	return append([]byte(session+":"), make([]byte, 4<<10)...)
}

// Blocks of sessions that come while messages are in flight go together; those
// that come when none is are sent at once.
func TestBundles(t *testing.T) {
	p, sent, let := stalled(t)
	var f results
	publish := func(session string) {
		f.publishFor(t, p, session, "id of "+session, block4k(session))
	}
	for i := range 4 {
		publish(fmt.Sprint("alone", i))
	}
	alone := sent(4)
	sessions := sameBucket(5)
	for _, s := range sessions {
		publish(s)
	}
	sent(0) // they wait
	let(alone[:1])
	bundle := sent(1)[0]
	entries, err := block.Entries(bundle.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Session)
		if !strings.HasPrefix(string(e.Data), e.Session+":") {
			t.Errorf("the block of %s is %.20q", e.Session, e.Data)
		}
	}
	if !slices.Equal(got, sessions) {
		t.Errorf("a bundle of %q, want %q", got, sessions)
	}
	id := bundle.Header.Get(njs.MsgIDHeader)
	if id == "" || slices.ContainsFunc(sessions, func(s string) bool { return id == "id of "+s }) {
		t.Errorf("the bundle's id is %q", id)
	}
	let(append(alone[1:], bundle))
	if results := f.Wait(t); len(results) != 9 || slices.ContainsFunc(results, func(err error) bool { return err != nil }) {
		t.Errorf("results %v", results)
	}
}

// sameBucket returns sessions whose blocks may go together.
func sameBucket(n int) (all []string) {
	for i := 0; len(all) < n; i++ {
		if session := fmt.Sprint("session", i); ingest.Bucket(session) == 1 {
			all = append(all, session)
		}
	}
	return all
}

// A bundle is sent when the next block of its bucket is of a session that it has, or
// too much: a session's blocks stay in their order.
func TestBundleBounds(t *testing.T) {
	p, sent, let := stalled(t)
	var f results
	four := func() {
		for i := range 4 {
			f.publishFor(t, p, fmt.Sprint("alone", i), "", nil)
		}
	}
	four()
	first := sent(4)
	sessions := sameBucket(40)
	for _, s := range []string{sessions[0], sessions[1], sessions[0]} {
		f.publishFor(t, p, s, "", block4k(s))
	}
	twice := sent(1)
	for _, s := range sessions[1:] {
		f.publishFor(t, p, s, "", block4k(s))
	}
	full := sent(2) // of 15 blocks each
	for _, m := range append(twice, full...) {
		if len(m.Data) > 64<<10 {
			t.Errorf("a message of %d bytes", len(m.Data))
		}
	}
	let(append(append(first, twice...), full...))
	let(sent(1))
	if results := f.Wait(t); len(results) != 4+3+39 || slices.ContainsFunc(results, func(err error) bool { return err != nil }) {
		t.Errorf("results %v", results)
	}
}

// All blocks that many publish at once for many sessions lie in JetStream once, a
// session's in their order, found by its filters; some of them together.
func TestBundlesInJetStream(t *testing.T) {
	p, stream := publishing(t)
	const taps, each, rounds = 4, 100, 5
	var f results
	var running sync.WaitGroup
	for tap := range taps {
		running.Go(func() {
			for i := range each * rounds {
				session := fmt.Sprintf("%d-%d", tap, i%each)
				f.publishFor(t, p, session, fmt.Sprintf("%d-%d", tap, i), fmt.Append(nil, i/each))
			}
		})
	}
	bounded.Wait(t, running.Wait)
	for _, err := range f.Wait(t) {
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const blocks = taps * each * rounds
	if info.State.Msgs >= blocks { // how many fewer depends on the machine
		t.Errorf("%d messages for %d blocks", info.State.Msgs, blocks)
	}
	for tap := range taps {
		session := fmt.Sprintf("%d-%d", tap, 17)
		c, err := stream.CreateConsumer(t.Context(), njs.ConsumerConfig{
			AckPolicy: njs.AckNonePolicy, FilterSubjects: ingest.Partition{}.Filters("default", session),
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		batch, err := c.FetchNoWait(blocks)
		if err != nil {
			t.Fatal(err)
		}
		for m := range batch.Messages() {
			entries, err := block.Entries(m.Data(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Session == session || m.Subject() == ingest.Subject("default", session) {
					got = append(got, string(e.Data))
				}
			}
		}
		if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(got, want) || batch.Error() != nil {
			t.Errorf("session %s has the blocks %q, %v; want %q", session, got, batch.Error(), want)
		}
	}
}

// Blocks of different tenants, and of different versions, do not go together.
func TestApart(t *testing.T) {
	p, sent, let := stalled(t)
	var f results
	for i := range 4 {
		f.publishFor(t, p, fmt.Sprint("alone", i), "", nil)
	}
	alone := sent(4)
	sessions := sameBucket(6)
	later := block.Encode(nil, &block.Block{}, block.Plain)
	now := slices.Clone(later)
	later[3] = 0xff // the format version
	f.publishFor(t, p, sessions[0], "", now)
	f.publishFor(t, p, sessions[1], "", now)
	f.publishFor(t, p, sessions[2], "", later)
	f.publishFor(t, p, sessions[3], "", later)
	f.publishAs(t, p, "acme", sessions[4], "", now)
	f.publishAs(t, p, "acme", sessions[5], "", now)
	let(alone)
	for i, m := range sent(3) {
		entries, err := block.Entries(m.Data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 2 || entries[0].Session != sessions[2*i] || entries[1].Session != sessions[2*i+1] {
			t.Errorf("message %d has %d blocks", i, len(entries))
		}
		let([]*nats.Msg{m})
	}
	f.Wait(t)
}

// The blocks of a stream stay in order as it becomes a bulk recording, also if the bundle of bulk
// recordings was begun before that of its earlier block.
func TestOrderAsAStreamBecomesBulk(t *testing.T) {
	p, sent, let := stalled(t)
	var f results
	for i := range 4 {
		f.publishFor(t, p, fmt.Sprint("alone", i), "", nil)
	}
	alone := sent(4)
	sessions := sameBucket(2)
	var settled sync.WaitGroup
	publish := func(session, id string, frames int) {
		t.Helper()
		settled.Add(1)
		err := p.Publish(t.Context(), ingest.EncodedBlock{
			Tenant: ingest.DefaultTenant, Session: session, ID: id, Data: []byte(id), Frames: frames,
		}, func(error) { settled.Done() })
		if err != nil {
			t.Fatal(err)
		}
	}
	const other, stream = "01a21f68-22b6-71e9-ae67-cf643a01b917", "01a21f68-2767-707c-8e44-fdaf6262ed38"
	publish(sessions[0], other+".1.1", 5000) // begins the bundle of bulk recordings
	publish(sessions[1], stream+".1.1", 1)
	publish(sessions[1], stream+".1.2", 5000)
	first := sent(1)
	if got := string(first[0].Data); got != stream+".1.1" {
		t.Errorf("the first message has %q, want the first block of the stream that became a bulk recording", got)
	}
	let(alone)
	let(first)
	last := sent(1)
	if last[0].Header.Get(jetstream.HeaderBulk) == "" || !strings.Contains(string(last[0].Data), stream+".1.2") {
		t.Errorf("the last message has the header %q and %q", last[0].Header, last[0].Data)
	}
	let(last)
	f.Wait(t)
	bounded.Wait(t, settled.Wait)
}
