package upload

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
)

const (
	// chargedFrom is the size of a block, bytes, from which on it is charged to the budget of
	// writers.
	chargedFrom = 256 << 10
	// copies is how often a block is in memory at the most until the publisher has accepted it.
	copies = 2
)

// blockMemory charges the current block of a request to the budget of writers, before the block is
// read.
type blockMemory struct {
	grant   *budget.Grant
	charged int64
}

// errNoMemory reports a block for which the budget had no room in time.
var errNoMemory = errors.New("no memory for a large block")

// take charges a block of size bytes, and waits until ctx ends while the budget is used up.
func (m *blockMemory) take(ctx context.Context, size int64) error {
	if size < chargedFrom {
		return nil
	}
	if err := m.grant.Need(ctx, copies*size); err != nil {
		return fmt.Errorf("%w: %w", errNoMemory, err)
	}
	m.charged = copies * size
	return nil
}

// release returns what is charged for the current block.
func (m *blockMemory) release() {
	m.grant.Adjust(-m.charged)
	m.charged = 0
}

// noMemory returns the problem of a request with a block for which there was no memory in time.
func noMemory() *problem.Problem {
	return &problem.Problem{
		Title: "Blocks are not taken for now", Status: http.StatusTooManyRequests, RetryAfter: time.Second, Limit: "max-writer-bytes",
		Detail: "Large frames and blocks that arrive take the memory that this server has for them.",
		Hint:   "The recorder sends the blocks again. If this lasts, start the server with a larger --max-writer-bytes.",
	}
}
