package sink

import (
	"bytes"
	"context"
	"time"
)

// probe is a block that ClickHouse has stored. Inserting it again tests whether ClickHouse accepts
// any block at all; the second copy replaces the first.
type probe struct {
	subject string
	data    []byte // data of the message; nil if there is no probe yet
}

// probeBytes bounds the message that is kept, bytes.
const probeBytes = 64 << 10

// keep keeps a small message of a stored batch, unless there is a probe already.
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

// probeInsert inserts the probe. known is false if there is no probe. A probe that is not to be stored
// any more, or whose shard is away, is dropped, so that the next insert keeps another one. err is the
// reason why ClickHouse did not accept the probe.
func (i *inserter) probeInsert(ctx context.Context) (known bool, err error) {
	g := gatherer{sink: i.sink, shards: i.sink.shards, batch: newBatch()}
	tenant, err := g.open(i.probe.subject, i.probe.data)
	if err != nil {
		return false, nil // there is no probe
	}
	for _, e := range g.entries {
		if g.decode(ctx, tenant, e.Data, time.Now()) != nil {
			continue // the block was set aside, its session was deleted, or its shard is away
		}
	}
	if g.batch.columns.Frames() == 0 {
		i.probe = probe{}
		return false, nil
	}
	return true, i.try(ctx, g.batch)
}
