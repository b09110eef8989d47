package keys

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/internal/inflight"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Claim is one attempt to record under a key. Its methods except Publish are for one goroutine.
type Claim struct {
	store    *Store
	stream   jetstream.Stream
	req      Request
	subject  string
	known    Known
	expected string    // digest of the known input, starting at the request's offset
	claimed  uint64    // sequence of the claim
	verifier *Verifier // nil before Verifier was called
	input    *Digest   // digest of all input of this attempt; nil unless the log has masked frames
	bytes    uint64    // number of bytes of the stream that were sent

	superseded chan struct{} // closed once another request has claimed the key
	once       sync.Once
	done       chan struct{} // closed by Close

	originals originals // has a lock of its own

	mu        sync.Mutex // guards all below
	queue     []queued
	queued    int  // bytes in the queue
	writing   bool // a goroutine is writing the queue to the log
	room      chan struct{}
	err       error // the reason why nothing more is written
	last      uint64
	size      int64                    // of the log, bytes
	forwarded inflight.Tracker[uint64] // blocks of the log that the publisher has not confirmed, by their sequence
}

// Known returns what the log held when the key was claimed.
func (c *Claim) Known() *Known { return &c.known }

// Attempt returns how often the key was claimed before.
func (c *Claim) Attempt() uint64 { return c.known.opening.Attempt }

// Result returns the result of a stream that was recorded to its end, nil for any other stream. If
// there is a result, nothing more may be recorded.
func (c *Claim) Result() *Result { return c.known.result }

// Superseded returns a channel that is closed when this process learns that another request has
// claimed the key: at once if this process handles the other request, otherwise when the next block
// is written.
func (c *Claim) Superseded() <-chan struct{} { return c.superseded }

// Done returns a channel that Close closes.
func (c *Claim) Done() <-chan struct{} { return c.done }

func (c *Claim) supersede() { c.fail(ErrSuperseded) }

// Replay calls frame for each known frame in order, with the content of the log. It forwards to the
// sink the blocks that earlier attempts did not forward, and returns once they are durable.
func (c *Claim) Replay(ctx context.Context, frame func(*schema.Frame, Sent) error) error {
	leave, err := c.store.enterRead(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var (
		order   prefix
		handing forwarding
	)
	emit := func(f *logged) error {
		if f.Seq >= c.known.Frames {
			return nil
		}
		f.Envelope = schema.Envelope{}
		return frame(&f.Frame, f.sent)
	}
	err = walk(ctx, c.store.js, c.stream, c.subject, 1, c.claimed, func(m *jetstream.RawStreamMsg) error {
		if m.Header.Get(headerKind) != kindBlock {
			order.claimed()
			return nil
		}
		b, err := block.Decode(m.Data)
		if err != nil {
			return err
		}
		if m.Sequence > c.known.forwarded {
			p := blockOf(m.Header, c.req.Tenant, b.Session, m.Data)
			if err := handing.on(ctx, c.store.opts.Next, p); err != nil {
				return err
			}
		}
		return order.add(m, b, emit)
	})
	return errors.Join(err, handing.wait(ctx))
}

// forwarding waits until forwarded blocks are durable.
type forwarding struct {
	all sync.WaitGroup
	mu  sync.Mutex
	err error
}

func (h *forwarding) on(ctx context.Context, next ingest.Publisher, p ingest.EncodedBlock) error {
	h.all.Add(1)
	err := next.Publish(ctx, p, func(err error) {
		h.mu.Lock()
		h.err = errors.Join(h.err, err)
		h.mu.Unlock()
		h.all.Done()
	})
	if err != nil {
		h.all.Done() // the block was not accepted
	}
	return err
}

func (h *forwarding) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		h.all.Wait()
		close(done)
	}()
	select {
	case <-done:
		return h.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Record adds a new frame to the digests. It is called before the frame is recorded.
func (c *Claim) Record(f *schema.Frame) {
	c.bytes += uint64(len(f.Raw))
	c.originals.add(f.Raw)
	if c.input != nil {
		c.input.Add(f)
		return
	}
	c.known.whole.Add(f)
	c.known.tail.Add(f)
}

// Passed is the stream's StreamOptions.Passed. It notes the frames that were masked.
func (c *Claim) Passed(f *schema.Frame) { c.originals.passed(f) }

// Digest returns the SHA-256 of the whole stream as it was sent, "" if it is not known: frames of
// the log are masked, and the request did not repeat them all.
func (c *Claim) Digest() string {
	switch {
	case !c.known.masked:
		return c.known.whole.String()
	case c.req.Offset == 0:
		return c.tailDigest()
	}
	return ""
}

// tailDigest is Digest of the input after the request's offset.
func (c *Claim) tailDigest() string {
	switch {
	case !c.known.masked:
		return c.known.tail.String()
	case c.verifier != nil && c.verifier.left == 0:
		return c.input.String()
	}
	return ""
}

// purgeTimeout bounds the removal of a log whose stream has ended.
const purgeTimeout = 5 * time.Second

// Finish replaces the log by its result, once the whole stream is durable.
func (c *Claim) Finish(ctx context.Context, frames uint64, answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	k := &c.known
	r := &Result{
		StreamID: k.StreamID, Frames: frames, Bytes: c.bytes, Params: c.req.Params, Key: c.req.Key,
		Digest: c.Digest(), Tail: c.req.Offset, TailDigest: c.tailDigest(), Answer: text,
	}
	c.mu.Lock()
	last, err := c.last, c.err
	c.mu.Unlock()
	if err == nil {
		_, err = c.store.append(ctx, jsonMessage(c.subject, kindEnd, last, r), last)
	}
	if errors.Is(err, errConflict) {
		err = ErrSuperseded
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeTimeout)
	defer cancel()
	if err := c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.subject), jetstream.WithPurgeKeep(1)); err != nil {
		c.store.opts.Log.Warn("keys: the log of an idempotency key could not be purged", "key", c.req.Key, "error", err)
	}
	return nil
}

// Close ends the attempt. Blocks that were not written to the log fail with errClosed.
func (c *Claim) Close() {
	c.store.unregister(c)
	c.fail(errClosed)
	close(c.done)
}

var errClosed = errors.New("the request is over")
