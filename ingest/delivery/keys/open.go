package keys

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/schema"
)

// Request describes what a client wants to send under a key.
type Request struct {
	Tenant, Key string
	Params      Params
	FrameLimit  int
	Unit        Unit
	Offset      uint64 // of the first byte or message that the client sends, in units
}

// claimAttempts bounds how often a claim is repeated because another writer was faster.
const claimAttempts = 50

// Open claims a key; later writes of an earlier attempt are refused. If Open fails with
// ErrMismatch, ErrOffset, ErrExpired or ErrTooLong, it has changed nothing. The caller must call
// Close.
func (s *Store) Open(ctx context.Context, req Request) (*Claim, error) {
	stream, err := s.ensure(ctx)
	if err != nil {
		return nil, err
	}
	c := &Claim{store: s, stream: stream, req: req, subject: subject(req.Tenant, req.Key),
		superseded: make(chan struct{}), done: make(chan struct{})}
	c.known = newKnown(req.Unit, req.Offset)
	for range claimAttempts {
		if err = s.read(ctx, stream, c.subject, &c.known); err != nil {
			return nil, err
		}
		if err = c.check(); err != nil {
			count(err)
			return nil, err
		}
		if c.known.result != nil {
			requests.WithLabelValues("repeated").Inc()
			c.expected = c.known.expectedTail(&req)
			return c, nil
		}
		if err = c.claim(ctx); !errors.Is(err, errConflict) {
			break
		}
	}
	if errors.Is(err, errConflict) {
		err = ErrSuperseded
	}
	if err != nil {
		count(err)
		return nil, err
	}
	if c.known.opening.Attempt == 0 {
		requests.WithLabelValues("opened").Inc()
	} else {
		requests.WithLabelValues("resumed").Inc()
	}
	c.expected = c.known.tail.String()
	if c.known.masked {
		c.input = newDigest(req.Unit, 0)
	}
	c.bytes, c.originals.next = c.known.Bytes, c.known.Frames
	s.register(c)
	return c, nil
}

// check compares the request with the log of its key.
func (c *Claim) check() error {
	k := &c.known
	if k.last != 0 {
		params, limit := &k.opening.Params, k.opening.Limit
		if k.result != nil {
			params, limit = &k.result.Params, c.req.FrameLimit
		}
		if params.text() != c.req.Params.text() {
			return fmt.Errorf("%w: the parameters differ from those of its first request: %s", ErrMismatch,
				params.differences(&c.req.Params))
		}
		if limit != c.req.FrameLimit {
			return fmt.Errorf("%w: the server's frame limit was %d bytes then and is %d now", ErrExpired, limit,
				c.req.FrameLimit)
		}
	}
	if durable := k.durable(); c.req.Offset > durable {
		return &OffsetError{Offset: c.req.Offset, Durable: durable}
	}
	if k.result == nil && k.size > c.store.opts.MaxLog {
		return ErrTooLong
	}
	return nil
}

// claim appends the message that makes this attempt the only one that may write.
func (c *Claim) claim(ctx context.Context) error {
	k := &c.known
	next, kind := k.opening, kindClaim
	if k.last == 0 {
		next, kind = opening{Key: c.req.Key, StreamID: schema.NewStreamID(), Params: c.req.Params,
			Limit: c.req.FrameLimit}, kindOpen
	} else {
		next.Attempt++
		c.store.supersede(c.subject)
	}
	if next.Attempt >= maxAttempts {
		return ErrTooLong
	}
	seq, err := c.store.append(ctx, jsonMessage(c.subject, kind, k.forwarded, &next), k.last)
	if err != nil {
		return err
	}
	k.opening, k.StreamID, k.last = next, next.StreamID, seq
	k.prefix.claimed()
	c.claimed, c.last, c.size = seq, seq, k.size
	return nil
}

// maxAttempts bounds the number of attempts, which is part of the version of a stream's state.
const maxAttempts = 1 << (64 - schema.AttemptShift - 1)

// OffsetError is an ErrOffset with the offset to continue from.
type OffsetError struct{ Offset, Durable uint64 }

func (e *OffsetError) Error() string {
	return fmt.Sprintf("%v: the request begins at %d, and %d is durable", ErrOffset, e.Offset, e.Durable)
}

// Is makes an OffsetError match ErrOffset in errors.Is.
func (e *OffsetError) Is(target error) bool { return target == ErrOffset }

// Status describes what is durable under a key.
type Status struct {
	StreamID string `json:"stream_id"`
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`
	Ended    bool   `json:"ended"` // the stream was recorded to its end
}

// Status reports what is durable under a key, and forwards to the sink the blocks that
// a killed attempt did not forward. It fails with ErrUnknown or ErrExpired,
// and with an ingest.DeletedError if the session was deleted.
func (s *Store) Status(ctx context.Context, tenant, key string) (*Status, error) {
	stream, err := s.ensure(ctx)
	if err != nil {
		return nil, err
	}
	c := &Claim{store: s, stream: stream, req: Request{Tenant: tenant, Key: key}, subject: subject(tenant, key)}
	c.known = newKnown(Bytes, 0)
	if err := s.read(ctx, stream, c.subject, &c.known); err != nil {
		return nil, err
	}
	k := &c.known
	if k.last == 0 {
		return nil, ErrUnknown
	}
	if k.result == nil {
		c.claimed = k.last
		if err := c.Replay(ctx, func(*schema.Frame, Sent) error { return nil }); err != nil {
			return nil, err
		}
	}
	return &Status{StreamID: k.StreamID, Frames: k.Frames, Bytes: k.Bytes, Ended: k.result != nil}, nil
}
