package ingest

import (
	"context"
	"errors"
)

// EncodedBlock is an encoded block with the fields that delivery needs, so that it is not
// decoded in between.
type EncodedBlock struct {
	Tenant  string
	Session string
	ID      string // for deduplication: the stream, when this process opened it, a count
	Frames  int
	Data    []byte // the block; not changed after it was published
}

// Publisher sends blocks towards the sink.
type Publisher interface {
	// Publish takes a block. It waits while too many blocks are in flight, and fails only
	// if the block was not taken. For a block that was taken, done is called exactly once,
	// from another goroutine: with nil once the block is durable, else with the error for
	// which it was abandoned.
	Publish(ctx context.Context, p EncodedBlock, done func(error)) error
}

// Permanent marks an error that every retry of the same block would meet. The block is not
// retried, and the stream receives the error.
func Permanent(err error) error { return &permanent{err} }

// IsPermanent reports whether an error is marked so.
func IsPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }
