package sink

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// sift stores the blocks of a batch one by one and sets those aside that
// ClickHouse refuses. What fails otherwise is delivered again.
func (i *inserter) sift(ctx context.Context, b *batch) {
	g := gatherer{sink: i.sink, batch: newBatch()}
	for _, m := range b.messages {
		if !i.siftMessage(ctx, &g, m) {
			return
		}
	}
	i.stat.stored(i.log)
}

// siftMessage does so with one message's blocks. False: storing is of no use now.
func (i *inserter) siftMessage(ctx context.Context, g *gatherer, m jetstream.Msg) bool {
	tenant, err := g.open(m)
	if err != nil {
		return true // it was set aside when the batch was gathered
	}
	var kept error
	for n, e := range g.entries {
		g.batch.reset()
		if g.decode(tenant, e.Data) != nil {
			continue // likewise
		}
		g.batch.names = append(g.batch.names, partName(m, n))
		err := i.try(ctx, g.batch)
		switch {
		case err == nil:
			storedFrames.Add(float64(g.batch.columns.Frames()))
			storedBlocks.Inc()
			continue
		case !isRefusal(err):
			i.close()
			return false
		}
		i.close()
		if err := i.sink.bury(ctx, letter{partName(m, n), subjectOf(m, tenant, e), e.Data, err}); err != nil {
			kept = err
		}
	}
	i.sink.settle(m, kept)
	return true
}
