package query

import (
	"context"
	"time"
)

// Completeness says how far an answer has what was recorded: frames that were received and are not
// stored yet are not in it.
type Completeness struct {
	// CompleteTo is when the oldest frame was received that is not in the answer, or else when the
	// question was asked: all that was received before is in it. Nil if it is not known.
	CompleteTo *time.Time `json:"complete_to"`
	// WaitingFrames is how many frames of the tenant were received and are not in the answer, at
	// least if WaitingMore; nil if it is not known.
	WaitingFrames *uint64 `json:"waiting_frames"`
	WaitingMore   bool    `json:"waiting_more"`
	// MissingShards are the addresses of the shards of a cluster that are away: sessions on them are not in
	// the answer.
	MissingShards []string `json:"missing_shards,omitempty"`
}

type completenessKey struct{}

// WithCompleteness returns a context of a question whose answer is so complete.
func WithCompleteness(ctx context.Context, c *Completeness) context.Context {
	return context.WithValue(ctx, completenessKey{}, c)
}

// CompletenessOf returns how complete the answer to a question is; nil if nobody looked.
func CompletenessOf(ctx context.Context) *Completeness {
	c, _ := ctx.Value(completenessKey{}).(*Completeness)
	return c
}
