package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/schema/block"
)

// bundle is blocks that wait to be sent in one message: of different sessions of one
// bucket. A message costs JetStream much however small it is.
type bundle struct {
	bucket  bucket
	since   time.Time // when its first block came
	ids     []string
	entries []block.Entry
	size    int // of its blocks in the message, bytes
	weight  int64
	dones   []func(error)
}

// bucket is what blocks share that may go together. Those of one version wait for a
// sink that reads it without the others.
type bucket struct {
	tenant  string
	number  int
	version byte
}

// bundleBytes is what a message of several blocks has at most.
const bundleBytes = 64 << 10

// headSize is what a bundle takes besides its blocks, at most, bytes.
const headSize = 32

// entrySize is what a block takes of a bundle, bytes.
func entrySize(p *ingest.EncodedBlock) int { return len(p.Data) + len(p.Session) + 8 }

// takes reports whether a block fits in beside those that are there.
func (b *bundle) takes(p *ingest.EncodedBlock, most int) bool {
	return headSize+b.size+entrySize(p) <= most &&
		!slices.ContainsFunc(b.entries, func(e block.Entry) bool { return e.Session == p.Session })
}

// add puts a block in.
func (b *bundle) add(p *ingest.EncodedBlock, weight int64, done func(error)) {
	b.ids = append(b.ids, p.ID)
	b.entries = append(b.entries, block.Entry{Session: p.Session, Data: p.Data})
	b.size += entrySize(p)
	b.weight += weight
	b.dones = append(b.dones, done)
}

// sent releases what is no longer needed once the bundle was sent.
func (b *bundle) sent() { b.ids, b.entries = nil, nil }

// settle reports the outcome to all blocks.
func (b *bundle) settle(err error) {
	for _, done := range b.dones {
		done(err)
	}
}

// message is what is sent; room is taken for its data, which is given back. A block
// that is alone is a message as it is.
func (b *bundle) message(room []byte) (*nats.Msg, []byte) {
	if len(b.entries) == 1 {
		e := &b.entries[0]
		return &nats.Msg{
			Subject: ingest.Subject(b.bucket.tenant, e.Session),
			Header:  nats.Header{jetstream.MsgIDHeader: {b.ids[0]}}, Data: e.Data,
		}, room
	}
	room = block.AppendBundle(room[:0], b.entries)
	return &nats.Msg{
		Subject: ingest.BundleSubject(b.bucket.tenant, b.bucket.number),
		Header:  nats.Header{jetstream.MsgIDHeader: {b.id()}}, Data: room,
	}, room
}

// id names the bundle by the blocks in it.
func (b *bundle) id() string {
	h := sha256.New()
	for _, id := range b.ids {
		_, _ = h.Write([]byte(id)) // it never fails
		_, _ = h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
