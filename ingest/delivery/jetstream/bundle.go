package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/ingest"
	"tapedeck/schema/block"
)

// bundle holds blocks that wait to be sent in one message. All blocks have the same bucket and
// different sessions. Bundling saves work, since the cost of a message in JetStream hardly depends
// on its size.
type bundle struct {
	bucket  bucket
	since   time.Time // arrival of the first block
	ids     []string
	frames  []int // of each block
	entries []block.Entry
	size    int // size of the blocks in the message, bytes
	weight  int64
	dones   []func(error)
	origin  trace.SpanContext // span context of the first block's recording, if it is traced
}

// bucket identifies blocks that may share a message. Blocks of a newer format version are in
// messages of their own, since these wait for a sink that reads the version. Blocks of bulk
// recordings are in messages of their own, too.
type bucket struct {
	tenant  string
	number  int
	version byte
	bulk    bool
}

// other returns the bucket of the same blocks if their recordings were bulk recordings, or were none.
func (b bucket) other() bucket {
	b.bulk = !b.bulk
	return b
}

// bundleBytes bounds the size of a message with several blocks, bytes.
const bundleBytes = 64 << 10

// headSize bounds the bytes of a bundle besides its blocks.
const headSize = 32

// entrySize returns the size of a block in a bundle, and of its stream in the header, bytes.
func entrySize(p *ingest.EncodedBlock) int { return len(p.Data) + len(p.Session) + 8 + shortSize + 1 }

// takes reports whether a block fits into the bundle.
func (b *bundle) takes(p *ingest.EncodedBlock, most int) bool {
	return headSize+b.size+entrySize(p) <= most && !b.has(p.Session)
}

// has reports whether the bundle has a block of a session.
func (b *bundle) has(session string) bool {
	return slices.ContainsFunc(b.entries, func(e block.Entry) bool { return e.Session == session })
}

// add adds a block.
func (b *bundle) add(p *ingest.EncodedBlock, weight int64, done func(error)) {
	b.ids = append(b.ids, p.ID)
	b.frames = append(b.frames, p.Frames)
	b.entries = append(b.entries, block.Entry{Session: p.Session, Data: p.Data})
	b.size += entrySize(p)
	b.weight += weight
	b.dones = append(b.dones, done)
}

// sent releases the memory that is not needed after the bundle was sent.
func (b *bundle) sent() { b.ids, b.frames, b.entries = nil, nil, nil }

// message returns the message to send. It builds the data in room and returns the buffer for reuse.
// A single block is sent without a bundle around it.
func (b *bundle) message(room []byte, partitions int) (*nats.Msg, []byte) {
	header := nats.Header{}
	if b.bucket.bulk {
		header[HeaderBulk] = []string{"1"}
	}
	if stated := b.contents(); stated != "" {
		header[HeaderContents] = []string{stated}
	}
	partition := ingest.BucketPartition(b.bucket.tenant, b.bucket.number, partitions)
	if len(b.entries) == 1 {
		e := &b.entries[0]
		header[jetstream.MsgIDHeader] = []string{ofTenant(b.ids[0], b.bucket.tenant)}
		return &nats.Msg{Subject: partition.Subject(b.bucket.tenant, e.Session), Header: header, Data: e.Data}, room
	}
	room = block.AppendBundle(room[:0], b.entries)
	header[jetstream.MsgIDHeader] = []string{b.id()}
	return &nats.Msg{Subject: partition.BundleSubject(b.bucket.tenant, b.bucket.number), Header: header, Data: room}, room
}

// contents returns the value of HeaderContents; "" if it is left out.
func (b *bundle) contents() string {
	var c contents
	for i, id := range b.ids {
		if !c.add(id, b.frames[i]) {
			return ""
		}
	}
	return c.String()
}

// id returns the id of the bundle, which is derived from its blocks.
func (b *bundle) id() string {
	h := sha256.New()
	_, _ = h.Write([]byte(b.bucket.tenant + "\n"))
	for _, id := range b.ids {
		_, _ = h.Write([]byte(id)) // a hash does not return errors
		_, _ = h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ofTenant returns the message id of a block. JetStream drops a message whose id it has seen on any
// subject. A client of one tenant may choose ids, so the message ids of different tenants must
// differ.
func ofTenant(id, tenant string) string {
	if id == "" {
		return ""
	}
	return id + "@" + tenant
}
