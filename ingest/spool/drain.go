package spool

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tapedeck/internal/backoff"
)

// Pauses between attempts after Next failed.
const (
	minPause = 250 * time.Millisecond
	maxPause = 5 * time.Second
)

// drainer sends what was kept, in order and many at a time. After a failure it
// waits until all that is under way has settled, and begins again with those
// that failed. It belongs to one goroutine; what others touch is in air.
type drainer struct {
	s         *Spool
	air       air
	pause     backoff.Backoff
	count     uint64
	again     []*item   // failed, in order, to be sent before any other
	heldAgain time.Time // not before this time are held parcels written again
}

// drain is the drainer's goroutine.
func (s *Spool) drain(ctx context.Context) {
	defer close(s.gone)
	d := &drainer{s: s, pause: backoff.Backoff{Min: minPause, Max: maxPause}}
	defer d.giveBack()
	s.rouse()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		d.setAside()
		if s.gather() {
			d.run(ctx)
		}
	}
}

// run sends until all was handed to Next and the way is direct again. Some may
// still be in the air then: should one of them fail, it begins anew.
func (d *drainer) run(ctx context.Context) {
	d.heldAgain = time.Time{}
	if d.storeHeld() { // then Next has failed just now
		backoff.Sleep(ctx, d.pause.Next())
	}
	for ctx.Err() == nil {
		d.storeHeld()
		d.setAside()
		if d.air.failing() {
			if d.air.busy() {
				d.await(ctx)
				continue
			}
			if d.takeBack() {
				d.pause.Reset()
			}
			backoff.Sleep(ctx, d.pause.Next())
			continue
		}
		if d.air.crowded(d.s.opts.WindowParcels, d.s.opts.WindowBytes) {
			d.await(ctx)
			continue
		}
		it := d.next()
		switch {
		case it != nil:
			d.send(ctx, it)
		case d.s.goDirect(&d.air):
			d.pause.Reset()
			return
		default:
			d.await(ctx)
		}
	}
}

// await waits until something happens.
func (d *drainer) await(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-d.s.wake:
	}
}

// next is the parcel to send: one that failed, else the next on disk, else one
// that waits for the disk; nil if there is none.
func (d *drainer) next() *item {
	if len(d.again) > 0 {
		it := d.again[0]
		d.again = d.again[1:]
		return it
	}
	for {
		rec, seg, err := d.s.store.next()
		if seg != nil {
			d.count++
			return &item{number: d.count, record: rec, seg: seg}
		}
		if err == nil {
			break
		}
		d.lost(err)
	}
	f := d.s.takeHeld()
	if f == nil {
		return nil
	}
	d.count++
	return &item{number: d.count, record: record{parcel: f.parcel, at: time.Now().UnixNano()}, flight: f}
}

func (d *drainer) lost(err error) {
	if damage, ok := errors.AsType[*DamageError](err); ok {
		d.s.mu.Lock()
		d.s.totals.damaged += uint64(damage.Parcels)
		d.s.mu.Unlock()
	}
	d.s.opts.Log.Error("blocks that were kept on disk are lost", "reason", err)
}

// send hands a parcel to Next.
func (d *drainer) send(ctx context.Context, it *item) {
	if d.air.up(it) {
		d.s.store.oldest(it.record.at)
	}
	patient, cancel := context.WithTimeoutCause(ctx, d.s.opts.Timeout, errSlow)
	defer cancel()
	settle := d.settle(it)
	if err := d.s.opts.Next.Publish(patient, it.record.parcel, settle); err != nil {
		settle(err)
	}
}

// setAside puts the parcels that Next will never take into a file of their own.
func (d *drainer) setAside() {
	for _, it := range d.air.takeRefused() {
		if err := d.s.store.refuse(&it.record); err != nil {
			d.s.mu.Lock()
			d.s.diskErr = err
			d.s.mu.Unlock()
			d.air.fail(it)
			continue
		}
		d.s.opts.Log.Error("a block on disk was refused; it is set aside and tried again at the next start",
			"dir", d.s.opts.Dir, "tenant", it.record.parcel.Tenant, "session", it.record.parcel.Session,
			"id", it.record.parcel.ID, "bytes", len(it.record.parcel.Data), "reason", it.refused)
		d.s.confirm(it.seg)
	}
}

// takeBack takes what failed, to send it again, and reports whether anything
// was confirmed meanwhile. What is not on disk is held once more: it is newer
// than all that is.
func (d *drainer) takeBack() (progress bool) {
	failed, progress := d.air.collect()
	for _, it := range slices.Backward(failed) {
		if it.flight != nil {
			d.s.putBack(it.flight)
		}
	}
	for _, it := range failed {
		if it.flight == nil {
			d.again = append(d.again, it)
		}
	}
	slices.SortFunc(d.again, func(x, y *item) int { return cmp.Compare(x.number, y.number) })
	return progress
}

// storeHeld writes the parcels that Next gave up to disk, and opens the spool
// for others once all are there. It reports whether there were any.
func (d *drainer) storeHeld() bool {
	if time.Now().Before(d.heldAgain) || d.air.unwritten() {
		return false
	}
	any := false
	for {
		f := d.s.takeHeld()
		if f == nil {
			d.s.openToAll()
			return any
		}
		any = true
		if err := d.s.storeFlight(f, d.s.opts.Limit); err != nil {
			d.heldAgain = time.Now().Add(diskRetry)
			d.s.putBack(f)
			return any
		}
	}
}

// giveBack leaves parcels that are only in memory to Close.
func (d *drainer) giveBack() {
	d.air.ground()
	d.takeBack()
}
