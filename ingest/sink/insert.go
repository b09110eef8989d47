package sink

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/internal/backoff"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/tracing"
	"tapedeck/schema/clickhouse"
)

// inserter writes batches, one at a time.
type inserter struct {
	sink    *Sink // sets aside blocks that cannot be stored
	dsn     string
	log     *slog.Logger
	stat    *status
	clients [2]*ch.Client // the second one for large batches only

	probe probe

	worked time.Duration // how long ClickHouse worked on the latest attempt, over both connections

	mu    sync.Mutex // guards the fields below
	ended time.Time  // when the latest insert ended
	took  time.Duration
}

// latest returns the time at which the latest insert ended, and how long ClickHouse worked on it.
func (i *inserter) latest() (ended time.Time, took time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended, i.took
}

// inserted records an insert that has ended.
func (i *inserter) inserted(began time.Time) {
	i.mu.Lock()
	i.ended, i.took = time.Now(), i.worked
	insertSeconds.Observe(i.ended.Sub(began).Seconds())
	i.mu.Unlock()
}

// insert stores a batch and acknowledges its messages. It retries with exponential backoff and
// jitter until ClickHouse accepts the batch. If ctx ends first, it returns the messages to
// JetStream. Blocks that ClickHouse refuses because of their contents are removed from the batch:
// see isolateRefused. Blocks of shards that are away are removed too: see omitAway.
func (i *inserter) insert(ctx context.Context, b *batch) {
	wait := newBackoff()
	for {
		began := time.Now()
		traced, span := beginInsert(ctx, b)
		err := i.try(traced, b)
		tracing.End(span, err, diagnose(err).code)
		if err == nil {
			i.inserted(began)
			i.stored(b)
			break
		}
		i.close()
		if ctx.Err() == nil {
			insertFailures.Inc()
			if isRefusal(err) || isTooMuch(err) {
				if err = i.isolateRefused(ctx, b); err == nil {
					return
				}
				i.close()
			}
			if !isRefusal(err) && !isTooMuch(err) && i.sink.shards.look(ctx) && i.omitAway(ctx, b) {
				if b.blocks > 0 {
					continue
				}
				return
			}
		}
		if ctx.Err() != nil || errors.Is(err, errUnannounced) {
			if ctx.Err() == nil && i.sink.opts.NATS.IsConnected() { // otherwise the owner of the connection logs why not
				i.log.Warn("sink: stored blocks are delivered again, since readers could not be informed of them", "error", err)
			}
			returnMessages(b.messages...)
			return
		}
		i.failed(err)
		if !backoff.Sleep(ctx, wait.Next()) {
			returnMessages(b.messages...)
			return
		}
	}
	i.probe.keep(b)
	for _, m := range b.messages {
		_ = m.Ack() // if the acknowledgement is lost, the message is delivered again, which is harmless
	}
}

// stored counts the rows of an inserted batch, and sets the status to OK.
func (i *inserter) stored(b *batch) {
	storedFrames.Add(float64(b.columns.Frames()))
	storedBlocks.Add(float64(b.blocks))
	batchFrames.Observe(float64(b.columns.Frames()))
	lastInsert.SetToCurrentTime()
	i.stat.stored(i.log)
}

// failed records in the status that ClickHouse does not store blocks.
func (i *inserter) failed(err error) {
	if i.stat.failed(err) {
		t := diagnose(err)
		i.log.Warn("sink: ClickHouse does not store blocks, JetStream holds them; retrying until it does",
			"error", err, "code", t.code, "table", t.table, "do", t.do)
	}
}

// try stores a batch and announces that its sessions have changed.
func (i *inserter) try(ctx context.Context, b *batch) error {
	ctx, cancel := context.WithTimeout(ctx, insertTimeout)
	defer cancel()
	if err := i.write(ctx, b); err != nil {
		return err
	}
	return i.sink.announce(ctx, b)
}

// write writes a batch to ClickHouse: a large one over both connections.
func (i *inserter) write(ctx context.Context, b *batch) (err error) {
	if i == i.sink.bulk {
		if err := failpoint.Reach(ctx, "sink: insert of a bulk recording begins"); err != nil {
			return err
		}
	}
	clients := i.clients[:1]
	if b.columns.Frames() >= i.sink.opts.BatchFrames/bulk {
		clients = i.clients[:]
	}
	for n, client := range clients {
		if client != nil && !client.IsClosed() {
			continue
		}
		if clients[n], err = clickhouse.Dial(ctx, i.dsn); err != nil {
			return err
		}
	}
	if len(clients) > 1 {
		i.worked, err = b.columns.InsertSideBySide(ctx, clients[0], clients[1])
		return err
	}
	began := time.Now()
	err = b.columns.Insert(ctx, clients[0])
	i.worked = time.Since(began)
	return err
}

// insertTimeout bounds one attempt.
const insertTimeout = 30 * time.Second

func (i *inserter) close() {
	for n, client := range i.clients {
		if client != nil {
			_ = client.Close() // broken or no longer needed
		}
		i.clients[n] = nil
	}
}

// newBackoff returns the delays between attempts when ClickHouse refuses an insert.
func newBackoff() backoff.Backoff {
	return backoff.Backoff{Min: 100 * time.Millisecond, Max: 5 * time.Second}
}
