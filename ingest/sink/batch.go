package sink

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/clickhouse"
)

// batch holds the columns of one insert and the messages they came from. The gatherer
// owns it, then the inserter; only the messages are used by others, see holdOn.
type batch struct {
	columns *clickhouse.Batch
	blocks  int      // in the columns
	names   []string // of the blocks

	mu       sync.Mutex      // guards changes of what follows
	messages []jetstream.Msg // to be acknowledged
	since    time.Time       // when the first of them was taken
}

func newBatch() *batch { return &batch{columns: clickhouse.NewBatch()} }

func (b *batch) reset() {
	b.columns.Reset()
	b.blocks = 0
	b.names = b.names[:0]
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.messages)
	b.messages = b.messages[:0]
}

// take adds a message whose blocks are in the columns.
func (b *batch) take(m jetstream.Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 {
		b.since = time.Now()
	}
	b.messages = append(b.messages, m)
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
	return contentName(m.Data())
}

// contentName returns a name for bytes that depends only on their contents.
func contentName(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
