package sink

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
)

// batch holds the columns of one insert and the messages that the columns came from. It is owned by
// the gatherer, and then by the inserter.
type batch struct {
	columns  *clickhouse.Batch
	blocks   int                    // number of blocks in the columns
	messages []jetstream.Msg        // messages to acknowledge after the insert
	held     int                    // bytes of these messages
	omitted  map[int][]int          // by message: indexes of the blocks that are elsewhere
	changed  map[change.ID]struct{} // sessions of the blocks
}

func newBatch() *batch {
	return &batch{columns: clickhouse.NewBatch(), changed: map[change.ID]struct{}{}, omitted: map[int][]int{}}
}

func (b *batch) reset() {
	b.columns.Reset()
	b.blocks = 0
	clear(b.changed)
	clear(b.omitted)
	clear(b.messages)
	b.messages, b.held = b.messages[:0], 0
}

// add adds a block of a tenant to the columns, and its sessions to those that change.
func (b *batch) add(tenant string, blk *block.Block) error {
	b.changed[change.IDOf(tombstone.Key{Tenant: tenant, Session: blk.Session})] = struct{}{}
	for i := range blk.Left {
		b.changed[change.IDOf(tombstone.Key{Tenant: tenant, Session: blk.Left[i].Session})] = struct{}{}
	}
	return b.columns.Add(tenant, blk)
}

// take adds a message whose blocks are in the columns, except those with the omitted indexes.
func (b *batch) take(m jetstream.Msg, omitted []int) {
	if len(omitted) > 0 {
		b.omitted[len(b.messages)] = omitted
	}
	b.messages = append(b.messages, m)
	b.held += len(m.Data())
}

// entryName returns the name of the block with index n in a message.
func entryName(m jetstream.Msg, n int) string { return nameOf(m) + "/" + strconv.Itoa(n) }

// nameOf returns the name of a message: its id, or a hash of its content.
func nameOf(m jetstream.Msg) string {
	if id := m.Headers().Get(jetstream.MsgIDHeader); id != "" {
		return id
	}
	return contentName(m.Data())
}

// contentName returns a name that depends only on the bytes of data.
func contentName(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
