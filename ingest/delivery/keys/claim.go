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
	expected string // digest of the known input, starting at the request's offset
	claimed  uint64 // sequence of the claim

	superseded chan struct{} // closed once another request has claimed the key
	once       sync.Once
	done       chan struct{} // closed by Close

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

// Verifier returns a verifier for the part of the body that is durable already.
func (c *Claim) Verifier() *Verifier {
	return &Verifier{
		digest: newDigest(c.req.Unit, 0), want: c.expected, left: c.known.durable(c.req.Unit) - c.req.Offset,
	}
}

// Verifier compares repeated input with the log.
type Verifier struct {
	digest *Digest
	want   string // expected digest; "" if only the length is known
	left   uint64 // units that have not been compared yet
}

// Left returns how many units have not been compared yet.
func (v *Verifier) Left() uint64 { return v.left }

// AddBytes adds repeated bytes, at most Left. When all known bytes were added and their digest
// differs, it fails with ErrMismatch.
func (v *Verifier) AddBytes(p []byte) error {
	v.digest.AddBytes(p)
	v.left -= uint64(len(p))
	return v.check()
}

// AddFrame adds a repeated message, like AddBytes.
func (v *Verifier) AddFrame(f *schema.Frame) error {
	v.digest.Add(f)
	v.left--
	return v.check()
}

func (v *Verifier) check() error {
	if v.left == 0 && v.want != "" && v.digest.String() != v.want {
		return ErrMismatch
	}
	return nil
}

// expectedTail returns the digest of a finished stream, starting at the request's offset, "" if it
// is not known.
func (k *Known) expectedTail(req *Request) string {
	switch req.Offset {
	case 0:
		return k.result.Digest
	case k.result.Tail:
		return k.result.TailDigest
	}
	return ""
}

// Replay calls frame for each known frame in order, with the content of the log. It forwards to the
// sink the blocks that earlier attempts did not forward, and returns once they are durable.
func (c *Claim) Replay(ctx context.Context, frame func(*schema.Frame) error) error {
	leave, err := c.store.enterRead(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var (
		order   prefix
		handing forwarding
	)
	emit := func(f *schema.Frame, _ string) error {
		if f.Seq >= c.known.Frames {
			return nil
		}
		f.Envelope = schema.Envelope{}
		return frame(f)
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
		return order.block(b, emit)
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

// Record adds a newly recorded frame to the digests.
func (c *Claim) Record(f *schema.Frame) {
	c.known.whole.Add(f)
	c.known.tail.Add(f)
}

// purgeTimeout bounds the removal of a log whose stream has ended.
const purgeTimeout = 5 * time.Second

// Finish replaces the log by its result, once the whole stream is durable.
func (c *Claim) Finish(ctx context.Context, frames, bytes uint64, answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	k := &c.known
	r := &Result{
		StreamID: k.StreamID, Frames: frames, Bytes: bytes, Params: c.req.Params, Key: c.req.Key,
		Digest: k.whole.String(), Tail: c.req.Offset, TailDigest: k.tail.String(), Answer: text,
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
