package ingest

import (
	"context"
	"errors"
)

// EncodedBlock is an encoded block with what is needed to carry it on without
// opening it.
type EncodedBlock struct {
	Tenant  string
	Session string
	ID      string // names the block for deduplication: the stream, when this process began with it, a count
	Frames  int
	Data    []byte // the block; not changed after it was handed over
}

// Publisher carries blocks on towards the sink.
type Publisher interface {
	// Publish takes a block. It waits while too many blocks are on their way,
	// and fails only if the block was not taken. For a block that was taken,
	// done is called exactly once, from another goroutine: with nil once the
	// block is durable, else with the reason for which it was given up.
	Publish(ctx context.Context, p EncodedBlock, done func(error)) error
}

// Permanent marks an error that the same block would meet at any time: it is
// given back to the stream, and not tried again.
func Permanent(err error) error { return &permanent{err} }

// IsPermanent reports whether an error is marked so.
func IsPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }
