package query

import (
	"context"
	"errors"
	"net/http"

	"tapedeck/schema/problem"
	"tapedeck/schema/tombstone"
)

// Deleter deletes sessions for good: *tombstone.Deleter.
type Deleter interface {
	Delete(ctx context.Context, of tombstone.Key) error
	// Resume goes on with a deletion that failed half way; false if there is none.
	Resume(ctx context.Context, of tombstone.Key) (bool, error)
}

// WithDeleter has the reader delete by the given Deleter rather than by one of its
// own, which knows nothing of blocks that are on their way.
func WithDeleter(d Deleter) Option { return func(r *Reader) { r.deleter = d } }

// Delete removes a session and all its facts. When it returns, nothing of it shows
// any more, whatever arrives of its streams later; the disk is freed when ClickHouse
// merges. A deletion that failed half way is completed when it is asked for again.
func (r *Reader) Delete(ctx context.Context, tenant, session string) error {
	of := tombstone.Key{Tenant: tenant, Session: session}
	_, err := r.find(ctx, tenant, session)
	if err == nil {
		return r.deleter.Delete(ctx, of)
	}
	missing, ok := errors.AsType[*problem.Problem](err)
	if !ok || missing.Status != http.StatusNotFound {
		return err
	}
	if resumed, failed := r.deleter.Resume(ctx, of); resumed || failed != nil {
		return failed
	}
	return err
}
