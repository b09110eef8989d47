package query

import (
	"context"
	"errors"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/schema/tombstone"
)

// Deleter deletes sessions permanently: *tombstone.Deleter.
type Deleter interface {
	Delete(ctx context.Context, of tombstone.Key) error
	// Resume completes a deletion that failed half way; false if there is none.
	Resume(ctx context.Context, of tombstone.Key) (bool, error)
}

// WithDeleter sets the Deleter that the reader uses. The default one does not purge
// blocks from JetStream.
func WithDeleter(d Deleter) Option { return func(r *Reader) { r.deleter = d } }

// Delete removes a session and all its facts. Once it returns, no query returns any of
// them, whatever arrives of its streams later; ClickHouse frees the disk space when it
// merges. Deleting again completes a deletion that failed half way.
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
