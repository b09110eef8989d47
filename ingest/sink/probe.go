package sink

import (
	"bytes"
	"context"
	"time"
)

// probe is a block that ClickHouse has stored. A second copy replaces the first, so that
// inserting it tests whether ClickHouse accepts blocks at all.
type probe struct {
	subject string
	data    []byte // the message; nil if there is none yet
}

// probeBytes bounds the message that is kept.
const probeBytes = 64 << 10

// keep keeps a small message of a batch that was stored, unless there is one already.
func (w *probe) keep(b *batch) {
	if w.data != nil {
		return
	}
	for _, m := range b.messages {
		if len(m.Data()) <= probeBytes {
			w.subject, w.data = m.Subject(), bytes.Clone(m.Data())
			return
		}
	}
}

// probeInsert inserts the probe. known is false if there is none; err is why ClickHouse did
// not accept it.
func (i *inserter) probeInsert(ctx context.Context) (known bool, err error) {
	g := gatherer{sink: i.sink, batch: newBatch()}
	tenant, err := g.open(i.probe.subject, i.probe.data)
	if err != nil {
		return false, nil // there is none
	}
	for _, e := range g.entries {
		if g.decode(ctx, tenant, e.Data, time.Now()) != nil {
			continue // it was set aside, or deleted
		}
	}
	if g.batch.columns.Frames() == 0 {
		return false, nil // its session was deleted, or it has no rows
	}
	return true, i.try(ctx, g.batch)
}
