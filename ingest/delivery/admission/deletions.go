package admission

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/block"
	"tapedeck/schema/lifecycle/tombstone"
)

// deletions refuses blocks of streams whose session was deleted. Blocks of an import that began
// after the deletion restore their streams.
type deletions struct {
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

func newDeletions(deleted *tombstone.Set, store *tombstone.Store, log *slog.Logger) *deletions {
	return &deletions{deleted: deleted, store: store, log: log, imports: map[importOf]*sync.Once{}}
}

// check returns an error, which is ingest.Permanent, if the session of a block was deleted.
func (d *deletions) check(ctx context.Context, b *ingest.EncodedBlock) error {
	if d == nil {
		return nil
	}
	of := tombstone.Key{Tenant: b.Tenant, Session: b.Session}
	run, isImport := importRun(b.ID)
	if isImport {
		d.ask(ctx, importOf{run, of})
	}
	t := d.deleted.Known(of)
	if t == nil {
		return nil
	}
	opened, err := open(b.Data)
	if err != nil || !t.Covers(opened.stream) {
		return nil // the sink sets aside undecodable blocks
	}
	if run > t.Until { // both ids begin with the time at which they were created
		if err := d.store.Restore(ctx, t, opened.stream); err != nil {
			return ingest.Permanent(err)
		}
		d.deleted.Add(t)
		return nil
	}
	// Another server may have restored the stream.
	if !d.deleted.Covers(ctx, t.Key, opened.stream, time.Now()) {
		return nil
	}
	for _, l := range opened.left {
		if !d.deleted.Known(tombstone.Key{Tenant: b.Tenant, Session: l}).Covers(opened.stream) {
			return nil // the block has segments of another session, which the sink stores
		}
	}
	refusedBlocks.Inc()
	gone := &tombstone.Error{Session: t.Session, At: t.At}
	d.log.Warn("deletion: refused a block of a session that was deleted while it was recorded", "session", t.Session, "stream", opened.stream)
	return ingest.Permanent(&ingest.DeletedError{Reason: fmt.Sprint(gone)})
}

// openLimit bounds the memory of a block that is decoded here, bytes. The sink decides on larger ones.
const openLimit = 128 << 20

// opening is held while a block is decoded, so that one at a time takes that memory.
var opening sync.Mutex

// segments are the segments of a stream that a block has.
type segments struct {
	stream string   // its id
	left   []string // other sessions in which the block ends a segment
}

// open returns the segments of an encoded block.
func open(data []byte) (segments, error) {
	opening.Lock()
	defer opening.Unlock()
	var opened block.Block
	d := block.Decoder{Limit: openLimit}
	if err := d.Decode(data, &opened); err != nil {
		return segments{}, err
	}
	of := segments{stream: strings.Clone(opened.State.StreamID)} // the block's memory is freed
	for _, l := range opened.Left {
		of.left = append(of.left, strings.Clone(l.Session))
	}
	return of, nil
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
func (d *deletions) ask(ctx context.Context, of importOf) {
	d.mu.Lock()
	once := d.imports[of]
	if once == nil {
		if len(d.imports) >= mostImports {
			clear(d.imports) // reading a tombstone again does no harm
		}
		once = &sync.Once{}
		d.imports[of] = once
	}
	d.mu.Unlock()
	once.Do(func() {
		if err := d.deleted.Ask(ctx, of.Key); err != nil {
			d.log.Warn("deletion: the tombstone of a session could not be read before its import; if the session was deleted, import it again",
				"session", of.Session, "error", err)
		}
	})
}

// Dropped returns the function of spool.Options.Drop: it reports whether a block that was admitted
// earlier is not to be stored, since its session was deleted meanwhile. It counts such blocks.
func Dropped(deleted *tombstone.Set) func(context.Context, *ingest.EncodedBlock) bool {
	return func(ctx context.Context, b *ingest.EncodedBlock) bool {
		if deleted.Known(tombstone.Key{Tenant: b.Tenant, Session: b.Session}) == nil || !erased(ctx, deleted, b) {
			return false
		}
		droppedBlocks.Inc()
		return true
	}
}

// erased reports whether no part of a block is to be stored.
func erased(ctx context.Context, deleted *tombstone.Set, b *ingest.EncodedBlock) bool {
	opened, err := open(b.Data)
	if err != nil {
		return false // the sink sets it aside
	}
	now := time.Now()
	if !deleted.Covers(ctx, tombstone.Key{Tenant: b.Tenant, Session: b.Session}, opened.stream, now) {
		return false
	}
	for _, l := range opened.left {
		if !deleted.Covers(ctx, tombstone.Key{Tenant: b.Tenant, Session: l}, opened.stream, now) {
			return false // the block has segments of another session
		}
	}
	return true
}
