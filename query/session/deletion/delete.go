// Package deletion deletes a session with all its facts.
package deletion

import (
	"context"
	"errors"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema/lifecycle/tombstone"
)

// Delete deletes a session with all its facts. Once it returns, no query returns any of them, even
// if frames of its streams arrive later. ClickHouse frees the disk space when it merges. Calling
// Delete again completes a deletion that failed half way.
func Delete(ctx context.Context, r *query.Reader, tenant, session string) error {
	of := tombstone.Key{Tenant: tenant, Session: session}
	_, err := sessionstreams.Find(ctx, r, tenant, session)
	if err == nil {
		return r.Deleter().Delete(ctx, of)
	}
	missing, ok := errors.AsType[*problem.Problem](err)
	if !ok || missing.Status != http.StatusNotFound {
		return err
	}
	if resumed, failed := r.Deleter().Resume(ctx, of); resumed || failed != nil {
		return failed
	}
	return err
}
