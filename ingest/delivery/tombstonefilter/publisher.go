// Package tombstonefilter refuses blocks of deleted sessions before they are published.
package tombstonefilter

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric"
	"tapedeck/schema/block"
	"tapedeck/schema/lifecycle/tombstone"
)

var refusedBlocks = metric.Counter(metric.Ingest, "tapedeck_ingest_deleted_blocks_total",
	"Blocks that were refused because their session was deleted while it was recorded.")

// Publisher refuses blocks of streams whose session was deleted, with an ingest.DeletedError.
// Blocks of an import that began after the deletion restore their streams. It is safe for use by
// many goroutines.
type Publisher struct {
	next    ingest.Publisher
	deleted *tombstone.Set
	store   *tombstone.Store
	log     *slog.Logger

	mu      sync.Mutex // guards what follows
	imports map[importOf]*sync.Once
}

// importOf identifies an import and a session that the import contains.
type importOf struct {
	run string
	tombstone.Key
}

// mostImports bounds how many imports are remembered.
const mostImports = 10_000

// New returns a publisher that passes the accepted blocks to next.
func New(next ingest.Publisher, deleted *tombstone.Set, store *tombstone.Store, log *slog.Logger) *Publisher {
	return &Publisher{next: next, deleted: deleted, store: store, log: log, imports: map[importOf]*sync.Once{}}
}

// Publish implements ingest.Publisher.
func (p *Publisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	of := tombstone.Key{Tenant: b.Tenant, Session: b.Session}
	run, isImport := importRun(b.ID)
	if isImport {
		p.ask(ctx, importOf{run, of})
	}
	t := p.deleted.Known(of)
	if t == nil {
		return p.next.Publish(ctx, b, done)
	}
	return p.publishChecked(ctx, b, t, run, done)
}

// importRun returns the id of a block's import.
func importRun(id string) (string, bool) {
	run, ok := strings.CutPrefix(id, jetstream.ImportID)
	if i := strings.LastIndexByte(run, '-'); ok && i > 0 {
		return run[:i], true
	}
	return "", false
}

// ask reads the session's tombstone once for each import and session, so that a deletion on another
// server before the import is known here.
func (p *Publisher) ask(ctx context.Context, of importOf) {
	p.mu.Lock()
	once := p.imports[of]
	if once == nil {
		if len(p.imports) >= mostImports {
			clear(p.imports) // reading a tombstone again does no harm
		}
		once = &sync.Once{}
		p.imports[of] = once
	}
	p.mu.Unlock()
	once.Do(func() {
		if err := p.deleted.Ask(ctx, of.Key); err != nil {
			p.log.Warn("deletion: the tombstone of a session could not be read before its import; if the session was deleted, import it again",
				"session", of.Session, "error", err)
		}
	})
}

// publishChecked publishes a block of a session that has a tombstone.
func (p *Publisher) publishChecked(ctx context.Context, b ingest.EncodedBlock, t *tombstone.Tombstone, run string, done func(error)) error {
	opened, err := block.Decode(b.Data)
	if err != nil || !t.Covers(opened.State.StreamID) {
		return p.next.Publish(ctx, b, done) // the sink sets aside undecodable blocks
	}
	if run > t.Until { // both ids begin with the time at which they were created
		if err := p.store.Restore(ctx, t, opened.State.StreamID); err != nil {
			return ingest.Permanent(err)
		}
		p.deleted.Add(t)
		return p.next.Publish(ctx, b, done)
	}
	// Another server may have restored the stream.
	if !p.deleted.Covers(ctx, t.Key, opened.State.StreamID, time.Now()) {
		return p.next.Publish(ctx, b, done)
	}
	for _, l := range opened.Left {
		if !p.deleted.Known(tombstone.Key{Tenant: b.Tenant, Session: l.Session}).Covers(opened.State.StreamID) {
			return p.next.Publish(ctx, b, done) // the block has segments of another session, which the sink stores
		}
	}
	refusedBlocks.Inc()
	gone := &tombstone.Error{Session: t.Session, At: t.At}
	p.log.Warn("deletion: refused a block of a session that was deleted while it was recorded", "session", t.Session, "stream", opened.State.StreamID)
	return ingest.Permanent(&ingest.DeletedError{Reason: fmt.Sprint(gone)})
}
