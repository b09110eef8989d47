package sink

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/clickhouse"
)

// batch is the columns of one insert and the messages they came from.
type batch struct {
	columns  *clickhouse.Batch
	blocks   int             // in the columns
	names    []string        // of the blocks
	messages []jetstream.Msg // to be acknowledged
}

func newBatch() *batch { return &batch{columns: clickhouse.NewBatch()} }

func (b *batch) reset() {
	b.columns.Reset()
	b.blocks = 0
	b.names = b.names[:0]
	clear(b.messages)
	b.messages = b.messages[:0]
}

// token names the batch's content for ClickHouse's deduplication, which goes by
// the token alone: a hash of what the blocks are named by, in their order.
// JetStream's own numbers would not do, since a new JetStream counts from 1 again.
func (b *batch) token() string {
	h := sha256.New()
	for _, name := range b.names {
		_, _ = io.WriteString(h, name+"\n") // it never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// partName names one of a message's blocks, by its place.
func partName(m jetstream.Msg, n int) string { return nameOf(m) + "/" + strconv.Itoa(n) }

// nameOf is what a message is named by: its id, or its content.
func nameOf(m jetstream.Msg) string {
	if id := m.Headers().Get(jetstream.MsgIDHeader); id != "" {
		return id
	}
	return fmt.Sprintf("%x", sha256.Sum256(m.Data()))
}
