package spool

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
	"tapedeck/internal/inflight"
)

// Pauses between attempts after Next failed.
const (
	minPause = 250 * time.Millisecond
	maxPause = 5 * time.Second
)

// drainer sends the stored blocks, the oldest first and many at a time. After a failure it waits
// until all blocks in flight are settled, and begins again with the failed ones. It belongs to one
// goroutine.
type drainer struct {
	s       *Spool
	pause   backoff.Backoff
	reader  *reader   // of the segment that is being sent; nil before the first
	again   []*item   // failed, to be sent before any other
	writeAt time.Time // failed blocks are not written to disk again before this time
	badAt   time.Time // since when the segment cannot be read; zero while it can

	mu       sync.Mutex // guards all below, which Next's goroutines use
	inFlight inflight.Tracker[*item]
	bytes    int64
	failed   []*item
	refused  []*item
	progress bool // a block was confirmed since the last failure
}

// item is a block that the drainer sends, either from disk or from memory because it could not be
// written to disk.
type item struct {
	record  record
	segment *segment // nil if it is not on disk
	pending *pending // set if segment is nil
	reason  error    // why Next refused it permanently
}

// drain is the drainer's goroutine.
func (s *Spool) drain(ctx context.Context) {
	defer close(s.gone)
	d := &drainer{s: s, pause: backoff.Backoff{Min: minPause, Max: maxPause}}
	defer d.close()
	for ctx.Err() == nil {
		d.writeFailed()
		d.setAside()
		if d.s.failedAnew() {
			d.rest(ctx)
			continue
		}
		inFlight, bytes, failed := d.load()
		switch {
		case failed > 0 && inFlight == 0:
			if d.takeFailed() {
				d.pause.Reset()
			}
			d.rest(ctx)
		case failed > 0, inFlight >= s.opts.WindowBlocks, bytes >= s.opts.WindowBytes:
			d.await(ctx)
		default:
			it, err := d.next()
			if err != nil {
				d.rest(ctx)
				continue
			}
			if it != nil {
				d.send(ctx, it)
				continue
			}
			if inFlight == 0 && s.finish() {
				d.pause.Reset()
			}
			d.await(ctx)
		}
	}
}

// await waits until there may be work.
func (d *drainer) await(ctx context.Context) {
	retry := time.NewTimer(diskRetry) // for blocks that could not be written
	defer retry.Stop()
	d.s.mu.Lock()
	if len(d.s.failed) == 0 {
		retry.Stop()
	}
	d.s.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-d.s.wake:
	case <-retry.C:
	}
}

// rest pauses after a failure. Blocks that fail meanwhile are written to disk.
func (d *drainer) rest(ctx context.Context) {
	over := time.NewTimer(d.pause.Next())
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			return
		case <-d.s.wake:
			d.writeFailed()
		}
	}
}

func (d *drainer) load() (inFlight int, bytes int64, failed int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inFlight.Len(), d.bytes, len(d.failed)
}

// failedAnew reports whether Next has failed since the last call, after it had accepted blocks.
func (s *Spool) failedAnew() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.fresh
	s.fresh = false
	return fresh
}

// finish checks whether every block was sent. If so, it records that, and new blocks go straight to
// Next.
func (s *Spool) finish() bool {
	_, left, _ := s.store.load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if left > 0 || len(s.failed) > 0 || s.fresh {
		return false
	}
	if !s.drained {
		s.opts.Log.Info("spool: drained", "dir", s.opts.Dir,
			"took", time.Since(s.since).Round(time.Millisecond), "sent", s.totals.sent)
		s.drained, s.since = true, time.Now()
	}
	if s.down || s.diskErr != nil {
		s.down, s.diskErr, s.refusing = false, nil, nil
		s.goOn()
		s.notify()
	}
	return true
}

// next returns the block to send: a failed one, else the next one on disk, else one that could not
// be written; nil if there is none. After an error the next call tries the same block again.
func (d *drainer) next() (*item, error) {
	if len(d.again) > 0 {
		it := d.again[0]
		d.again = d.again[1:]
		return it, nil
	}
	for {
		if d.reader == nil {
			seg := d.s.store.oldest()
			if seg == nil {
				break
			}
			d.reader = &reader{segment: seg}
		}
		rec, err := d.reader.next()
		if err == nil {
			d.badAt = time.Time{}
			return &item{record: rec, segment: d.reader.segment}, nil
		}
		if !errors.Is(err, io.EOF) {
			if err = d.unreadable(err); err != nil {
				return nil, err
			}
			continue
		}
		d.reader.close()
		d.s.made(d.s.store.wasRead(d.reader.segment))
		d.reader = nil
	}
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	if len(d.s.failed) == 0 {
		return nil, nil
	}
	p := d.s.failed[0]
	d.s.failed = d.s.failed[1:]
	return &item{record: record{block: p.block, at: time.Now().UnixNano()}, pending: p}, nil
}

// unreadableFor is how long a file that cannot be opened or read is tried again before its blocks
// count as lost for this process. The next start tries it again.
const unreadableFor = time.Minute

// unreadable handles an error of the reader. It returns the error if the same block is to be tried
// again after a pause.
func (d *drainer) unreadable(err error) error {
	if _, damaged := errors.AsType[*DamageError](err); !damaged {
		switch now := time.Now(); {
		case d.badAt.IsZero():
			d.badAt = now
			d.s.opts.Log.Warn("spool: a file cannot be read now; it is tried again", "path", d.reader.segment.path, "error", err, "for", unreadableFor)
			return err
		case now.Sub(d.badAt) < unreadableFor:
			return err
		}
		err = d.reader.damage(true, err)
	}
	d.badAt = time.Time{}
	d.lost(err)
	return nil
}

// lost counts and logs blocks that cannot be read.
func (d *drainer) lost(err error) {
	if damage, ok := errors.AsType[*DamageError](err); ok {
		d.s.store.lose(d.reader.segment, damage.Blocks)
		d.s.mu.Lock()
		d.s.totals.damaged += uint64(damage.Blocks)
		d.s.mu.Unlock()
	}
	d.s.opts.Log.Error("spool: blocks that were kept on disk are lost", "error", err)
}

// made wakes the callers that wait for room, if room is set.
func (s *Spool) made(room bool) {
	if !room {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify()
}

// send passes a block to Next, unless it is to be dropped.
func (d *drainer) send(ctx context.Context, it *item) {
	d.mu.Lock()
	number := d.inFlight.Add(it)
	d.bytes += int64(len(it.record.block.Data))
	d.mu.Unlock()
	settle := func(err error) { d.settle(number, err) }
	if d.s.opts.Drop(ctx, &it.record.block) {
		settle(nil)
		return
	}
	limited, cancel := context.WithTimeoutCause(ctx, d.s.opts.Timeout, errSlow)
	defer cancel()
	if err := d.s.opts.Next.Publish(limited, it.record.block, settle); err != nil {
		settle(err)
	}
}

// settle processes the outcome of a block. Only the first call has an effect, and no call after
// close.
func (d *drainer) settle(number uint64, err error) {
	d.mu.Lock()
	it, ok := d.inFlight.Settle(number)
	if !ok {
		d.mu.Unlock()
		return
	}
	d.bytes -= int64(len(it.record.block.Data))
	confirmed := err == nil || ingest.IsDeleted(err) // a block of a deleted session is dropped
	refused := !confirmed && ingest.IsPermanent(err) && !refusesAll(err)
	switch {
	case confirmed:
		d.progress = true
	case !refused:
		d.failed = append(d.failed, it)
	case it.segment != nil:
		it.reason = err
		d.refused = append(d.refused, it)
	}
	working := len(d.failed) == 0
	d.mu.Unlock()
	d.s.count(confirmed, refused, working, err)
	if (confirmed || refused) && it.pending != nil {
		it.pending.done(err)
	} else if confirmed {
		d.s.made(d.s.store.confirm(it.segment, it.record.at))
	}
	d.s.wakeDrainer()
}

// count counts the outcome of a stored block. working is set if no block has failed since the last
// pause.
func (s *Spool) count(confirmed, refused, working bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if confirmed {
		s.totals.sent++
		if s.down && working && !s.fresh { // Next accepts blocks, so new blocks go straight to it
			s.down, s.refusing = false, nil
			s.goOn()
			s.notify()
		}
		return
	}
	if refused {
		s.totals.refused++
		s.nextErr, s.nextErrAt = err, time.Now()
		return
	}
	s.totals.retries++
	s.nextFailed(err)
	s.fresh = false // the drainer pauses anyway
}

// setAside writes the blocks that Next refused permanently to a file of their own.
func (d *drainer) setAside() {
	d.mu.Lock()
	refused := d.refused
	d.refused = nil
	d.mu.Unlock()
	for _, it := range refused {
		if err := d.s.store.setAside(&it.record); err != nil {
			d.s.mu.Lock()
			d.s.diskErr = err
			d.s.mu.Unlock()
			d.again = append(d.again, it)
			continue
		}
		b := &it.record.block
		d.s.opts.Log.Error("spool: a block on disk was refused; it is set aside and tried again at the next start",
			"dir", d.s.opts.Dir, "tenant", b.Tenant, "session", b.Session, "block", b.ID, "bytes", len(b.Data), "reason", it.reason)
		d.s.made(d.s.store.confirm(it.segment, it.record.at))
	}
}

// takeFailed takes the failed blocks, to send them again, and reports whether a block was confirmed
// meanwhile.
func (d *drainer) takeFailed() (progress bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var unwritten []*pending
	for _, it := range d.failed {
		if it.pending != nil {
			unwritten = append(unwritten, it.pending)
		} else {
			d.again = append(d.again, it)
		}
	}
	progress, d.progress, d.failed = d.progress, false, nil
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	d.s.failed = slices.Concat(unwritten, d.s.failed)
	return progress
}

// writeFailed writes to disk the blocks that Next did not accept and the blocks that are in flight
// to Next, as far as there is room.
func (d *drainer) writeFailed() {
	if time.Now().Before(d.writeAt) {
		return
	}
	d.s.order.Lock()
	defer d.s.order.Unlock()
	d.s.mu.Lock()
	none := len(d.s.failed) == 0
	d.s.mu.Unlock()
	if !none && d.s.keepUnsettled() != nil {
		d.writeAt = time.Now().Add(diskRetry)
	}
}

// close leaves blocks that are only in memory to Spool.Close. Blocks from disk stay on disk.
func (d *drainer) close() {
	if d.reader != nil {
		d.reader.close()
	}
	d.mu.Lock()
	d.failed = append(d.failed, d.inFlight.Clear()...)
	d.mu.Unlock()
	d.takeFailed()
}
