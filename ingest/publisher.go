package ingest

import (
	"context"
	"errors"
)

// EncodedBlock is an encoded block with the fields that delivery needs, so that delivery need not
// decode it.
type EncodedBlock struct {
	Tenant  string
	Session string
	ID      string // for deduplication: stream id, time at which this process opened the stream, and a count
	Frames  int
	Data    []byte // the block; not changed after it was published
}

// Publisher sends blocks to the sink.
type Publisher interface {
	// Publish accepts a block. It waits while too many blocks are in flight, and returns an error
	// only if the block was not accepted. For an accepted block, done is called exactly once, from
	// another goroutine: with nil once the block is durable, otherwise with the error for which the
	// block was abandoned.
	Publish(ctx context.Context, p EncodedBlock, done func(error)) error
}

// Permanent marks an error that every retry of the same block would return. The block is not
// retried, and the stream receives the error.
func Permanent(err error) error { return &permanent{err} }

// IsPermanent reports whether an error is marked by Permanent.
func IsPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }
