package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tapedeck/ingest"
)

// errSlow is the cause when Next has no more time to accept a block.
var errSlow = errors.New("takes no blocks at present")

// diskRetry is the interval at which a failed write is tried again.
const diskRetry = time.Second

// Publish implements ingest.Publisher. While neither Next nor the disk accepts the block it waits,
// and fails with a FullError when ctx ends.
func (s *Spool) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	p := &pending{spool: s, block: b, done: done}
	for {
		if s.passes(p) {
			limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errSlow)
			err := s.opts.Next.Publish(limited, b, p.settle)
			cancel()
			if err == nil {
				return nil
			}
			if final, err := p.returned(err, ctx.Err() != nil); final {
				return err
			}
		}
		if kept, err := s.hold(ctx, p); kept || err != nil {
			return err
		}
	}
}

// passes reports whether a block goes straight to Next, and adds it to those in flight.
func (s *Spool) passes(p *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.down {
		return false
	}
	p.number = s.inFlight.Add(p)
	return true
}

// returned processes the error with which Next did not accept a block. If the outcome of Publish is
// final, it returns that; otherwise the block goes to disk. ended is set if the context of Publish
// has ended.
func (p *pending) returned(err error, ended bool) (final bool, _ error) {
	s := p.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.inFlight.Settle(p.number); !ok {
		return true, nil // the block was written to disk meanwhile
	}
	if s.closed {
		s.notify()
	}
	if ended || ingest.IsPermanent(err) {
		return true, err
	}
	s.nextFailed(err)
	return false, nil
}

// hold writes a block to disk. If the disk does not accept it, hold waits until the attempt may be
// repeated and returns false. It also returns false if Next accepts blocks.
func (s *Spool) hold(ctx context.Context, p *pending) (kept bool, _ error) {
	s.mu.Lock()
	closed, down, refusing, changed := s.closed, s.down, s.refusing, s.changed
	s.mu.Unlock()
	switch {
	case closed:
		return false, ErrClosed
	case !down:
		return false, nil
	case refusing != nil:
		return false, refusing
	}
	err := s.keepInOrder(p)
	if err == nil || ingest.IsPermanent(err) || errors.Is(err, ErrClosed) {
		return err == nil, err
	}
	select {
	case <-changed:
	case <-time.After(diskRetry):
	case <-ctx.Done():
		return false, s.fullError(ctx)
	}
	if s.opts.Drop(ctx, &p.block) {
		go p.done(nil) // in a goroutine: see keep
		return true, nil
	}
	return false, nil
}

// settle processes the outcome of a block that went straight to Next. A block that Next failed to
// deliver is kept.
func (p *pending) settle(err error) {
	s := p.spool
	s.mu.Lock()
	if _, ok := s.inFlight.Settle(p.number); !ok {
		s.mu.Unlock()
		return
	}
	if s.closed {
		s.notify()
	}
	if err != nil && !ingest.IsPermanent(err) {
		s.failed = append(s.failed, p)
		s.nextFailed(err)
		s.mu.Unlock()
		return
	}
	if err == nil {
		s.totals.passed++
	}
	s.mu.Unlock()
	p.done(err)
}

// nextFailed records why Next did not accept a block. Later blocks go to disk. mu is held.
func (s *Spool) nextFailed(err error) {
	s.nextErr, s.nextErrAt = err, time.Now()
	if s.refusing == nil && refusesAll(err) {
		s.refusing = err
		s.notify()
	}
	if s.drained {
		s.drained, s.since = false, time.Now()
		s.opts.Log.Warn("spool: blocks are kept on disk from now on", "dir", s.opts.Dir, "error", err)
	}
	if !s.down {
		s.down, s.fresh = true, true
	}
	s.wakeDrainer()
}

// keepInOrder writes a block to disk after all blocks before it that are not durable.
func (s *Spool) keepInOrder(p *pending) error {
	s.order.Lock()
	defer s.order.Unlock()
	if err := s.keepUnsettled(); err != nil {
		return err
	}
	return s.keep(p, s.opts.Limit)
}

// keepUnsettled writes to disk the blocks that Next did not accept, and the blocks in flight to
// Next: if this process is killed, no block of a stream is stored without the blocks before it. A
// block that Next delivers after all is sent twice. order is held.
func (s *Spool) keepUnsettled() error {
	s.mu.Lock()
	unsettled := append(s.failed, s.inFlight.Clear()...)
	s.failed = nil
	s.mu.Unlock()
	slices.SortFunc(unsettled, func(a, b *pending) int { return cmp.Compare(a.number, b.number) })
	for i, p := range unsettled {
		err := s.keep(p, s.opts.Limit)
		switch {
		case ingest.IsPermanent(err):
			p.done(err)
		case err != nil:
			s.mu.Lock()
			s.failed = slices.Concat(unsettled[i:], s.failed)
			s.mu.Unlock()
			return err
		}
	}
	return nil
}

// keep writes a block to disk. It refuses a block that would never fit with an ingest.Permanent.
func (s *Spool) keep(p *pending, limit int64) error {
	err := s.store.append(&record{block: p.block, at: time.Now().UnixNano()}, limit)
	s.mu.Lock()
	if err == nil {
		s.totals.written++
		s.drained = false
	}
	if !ingest.IsPermanent(err) && !errors.Is(err, ErrClosed) {
		s.kept(err)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.calls.Go(func() { p.done(nil) }) // in a goroutine: the caller of Publish may hold a lock that done takes
	s.wakeDrainer()
	return nil
}

// kept records whether the disk took a block, and logs that blocks begin to wait. A small block
// that fits into a full spool does not end the wait. mu is held.
func (s *Spool) kept(err error) {
	s.diskErr = err
	switch {
	case err == nil && !errors.Is(s.waits, errNoRoom):
		s.goOn()
	case err == nil || s.waits != nil:
	case errors.Is(err, errNoRoom):
		s.waits = err
		bytes, _, _ := s.store.load()
		s.opts.Log.Warn("spool: full, so recording waits until the server takes frames",
			"dir", s.opts.Dir, "size", size(bytes), "limit", size(s.opts.Limit), "error", s.nextErr)
	default:
		s.waits = err
		s.opts.Log.Warn("spool: cannot be written, so recording waits until it can be or the server takes frames",
			"dir", s.opts.Dir, "error", err)
	}
}

// goOn logs the end of a wait for room, if there is one. mu is held.
func (s *Spool) goOn() {
	if s.waits != nil {
		s.waits = nil
		s.opts.Log.Warn("spool: recording goes on", "dir", s.opts.Dir)
	}
}

// fullError returns why a Publish that has stopped waiting failed.
func (s *Spool) fullError(ctx context.Context) error {
	bytes, _, _ := s.store.load()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &FullError{Dir: s.opts.Dir, Bytes: bytes, Limit: s.opts.Limit, Next: s.nextErr, Cause: context.Cause(ctx)}
	if !errors.Is(s.diskErr, errNoRoom) {
		e.Disk = s.diskErr
	}
	return e
}

// refusesAll reports whether an error of Next means that it accepts nothing until an operator acts.
func refusesAll(err error) bool {
	r, ok := errors.AsType[interface {
		error
		RefusesAll() bool
	}](err)
	return ok && r.RefusesAll()
}

// Close accepts no more blocks, waits until the blocks that went straight to Next are settled, and
// ends. Unsent blocks stay on disk for the next Open; blocks that Next has not confirmed when ctx
// ends are written to disk as well. If they cannot be written, Close fails, and their streams
// receive the error.
func (s *Spool) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.closed = true
	s.notify()
	s.mu.Unlock()
	s.stop()
	<-s.gone
	s.waitInFlight(ctx)
	s.mu.Lock()
	rest := append(s.failed, s.inFlight.Clear()...)
	s.failed = nil
	s.mu.Unlock()
	lost, err := 0, error(nil)
	for _, p := range rest { // the limit does not apply: Next had accepted these blocks
		if failure := s.keep(p, math.MaxInt64); failure != nil {
			lost, err = lost+1, failure
			p.done(fmt.Errorf("spool %s closed before the block was sent or written: %w", s.opts.Dir, failure))
		}
	}
	if err != nil {
		err = fmt.Errorf("%d blocks failed, since the spool %s cannot be written: %w", lost, s.opts.Dir, err)
	}
	s.store.close()
	s.calls.Wait()
	return errors.Join(err, s.lock.Close())
}

// waitInFlight waits until nothing that went straight to Next is in flight, or ctx ends.
func (s *Spool) waitInFlight(ctx context.Context) {
	for {
		s.mu.Lock()
		left, changed := s.inFlight.Len(), s.changed
		s.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
