package sink

import (
	"bytes"
	"context"
	"crypto/rand"
	"time"
)

// witness is a block that ClickHouse has stored. Stored again it replaces itself, so
// that inserting it shows whether ClickHouse accepts blocks at all.
type witness struct {
	subject string
	data    []byte // the message; nil as long as there is none
}

// witnessBytes bounds the message that is kept.
const witnessBytes = 64 << 10

// keep takes a small message of a batch that was stored, unless there is one already.
func (w *witness) keep(b *batch) {
	if w.data != nil {
		return
	}
	for _, m := range b.messages {
		if len(m.Data()) <= witnessBytes {
			w.subject, w.data = m.Subject(), bytes.Clone(m.Data())
			return
		}
	}
}

// testify inserts the witness. known is false if there is none; err is why ClickHouse
// did not accept it.
func (i *inserter) testify(ctx context.Context) (known bool, err error) {
	g := gatherer{sink: i.sink, batch: newBatch()}
	tenant, err := g.open(i.witness.subject, i.witness.data)
	if err != nil {
		return false, nil // there is none
	}
	for _, e := range g.entries {
		if g.decode(ctx, tenant, e.Data, time.Now()) != nil {
			continue // it was set aside, or deleted
		}
		g.batch.names = append(g.batch.names, "witness-"+rand.Text()) // ClickHouse would deduplicate a token that it has seen
	}
	if g.batch.columns.Frames() == 0 {
		return false, nil // its session was deleted, or it has no rows
	}
	return true, i.try(ctx, g.batch)
}
