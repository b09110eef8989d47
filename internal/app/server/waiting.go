package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/problem"
	"tapedeck/query"
)

// Headers of answers that may lack recordings which are not stored yet: see query.Completeness.
const (
	headerCompleteTo = "Tapedeck-Complete-To"
	headerWaiting    = "Tapedeck-Waiting-Frames"
	headerMissing    = "Tapedeck-Missing-Shards"
)

// waiting returns which frames of a tenant were received and cannot be read yet: the frames in
// JetStream and in the spool of this process. The spools of other processes are not known here.
func (s *Server) waiting(ctx context.Context, tenant string) (jetstream.Waiting, error) {
	if s.Node.Waiting == nil {
		return jetstream.Waiting{}, nats.ErrDisconnected
	}
	w, err := s.Node.Waiting.Read(ctx, tenant)
	if err != nil || s.Node.Spool == nil {
		return w, err
	}
	if spool := s.Node.Spool.State(); spool.Blocks > 0 { // of any tenant
		w.More = true
		if at := time.Now().Add(-time.Duration(spool.OldestMS * float64(time.Millisecond))); w.OldestAt.IsZero() || at.Before(w.OldestAt) {
			w.OldestAt = at
		}
	}
	return w, nil
}

// completeness returns how complete an answer is if it is read from now on.
func (s *Server) completeness(ctx context.Context, tenant string) *query.Completeness {
	w, err := s.waiting(ctx, tenant)
	if err != nil {
		s.Log.Warn("server: what waits to be stored is not known", "error", err)
		return &query.Completeness{}
	}
	to := w.At
	if !w.OldestAt.IsZero() && w.OldestAt.Before(to) {
		to = w.OldestAt
	}
	to = to.UTC().Truncate(time.Microsecond)
	return &query.Completeness{CompleteTo: &to, WaitingFrames: &w.Frames, WaitingMore: w.More}
}

// complete is middleware that adds headers with the completeness to answers.
func (s *Server) complete(h tenantHandler) tenantHandler {
	if s.Node.Waiting == nil {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request, tenant string) {
		c := s.completeness(r.Context(), tenant)
		if c.CompleteTo != nil {
			w.Header().Set(headerCompleteTo, c.CompleteTo.Format(time.RFC3339Nano))
			frames := strconv.FormatUint(*c.WaitingFrames, 10)
			if c.WaitingMore {
				frames += "+"
			}
			w.Header().Set(headerWaiting, frames)
		}
		h(w, r.WithContext(query.WithCompleteness(r.Context(), c)), tenant)
	}
}

// partial is middleware that has a question answered without the shards of a cluster that are away,
// and adds a header with their addresses. It follows complete.
func (s *Server) partial(h tenantHandler) tenantHandler {
	return func(w http.ResponseWriter, r *http.Request, tenant string) {
		ctx, missing := s.reader.WithoutAway(r.Context())
		if len(missing) > 0 {
			w.Header().Set(headerMissing, strings.Join(missing, ", "))
			c := query.Completeness{}
			if known := query.CompletenessOf(ctx); known != nil {
				c = *known
			}
			c.MissingShards = missing
			r = r.WithContext(query.WithCompleteness(ctx, &c))
		}
		h(w, r, tenant)
	}
}

// Unreadable is the answer of GET /v1/waiting.
type Unreadable struct {
	AskedAt time.Time `json:"asked_at"` // by the server's clock
	query.Completeness
	WaitingStreams int `json:"waiting_streams"` // at least, if WaitingMore
}

// serveWaiting answers GET /v1/waiting.
func (s *Server) serveWaiting(rw http.ResponseWriter, r *http.Request, tenant string) {
	asked := time.Now().UTC()
	w, err := s.waiting(r.Context(), tenant)
	if err != nil {
		problem.Write(rw, &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Detail: "NATS does not answer: what waits is not known.",
		})
		return
	}
	to := w.At.UTC() // before asked if the answer was read for an earlier request
	if !w.OldestAt.IsZero() && w.OldestAt.Before(to) {
		to = w.OldestAt.UTC()
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(Unreadable{ // the client has left
		AskedAt: asked, WaitingStreams: w.Streams,
		Completeness: query.Completeness{CompleteTo: &to, WaitingFrames: &w.Frames, WaitingMore: w.More},
	})
}

const (
	// closeWaits is how long the close of a bill waits until the period is complete.
	closeWaits = 5 * time.Second
	closePolls = 100 * time.Millisecond
)

// completePeriod returns a problem if frames of a period were received and are not stored, after a
// short wait.
func (s *Server) completePeriod(ctx context.Context, tenant string, from, to time.Time) error {
	for began := time.Now(); ; {
		w, err := s.waiting(ctx, tenant)
		in := false
		if err == nil && !w.OldestAt.IsZero() {
			in, err = s.waitingIn(ctx, tenant, from, to)
		}
		if err != nil {
			return &problem.Problem{
				Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
				Detail: "NATS does not answer, so it is not known whether charges of the period wait to be stored.",
			}
		}
		if !in {
			return nil
		}
		if time.Since(began) > closeWaits {
			most := ""
			if w.More {
				most = " or more"
			}
			return &problem.Problem{
				Status: http.StatusConflict, RetryAfter: 30 * time.Second,
				Detail: fmt.Sprintf("%d frames%s that were received wait to be stored, some of them of this period: the bill would lack their charges.", w.Frames, most),
				Hint:   "Close it once GET /v1/waiting has waiting_frames 0; /readyz says what keeps the sink.",
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(closePolls):
		}
	}
}

// waitingIn reports whether frames of a period may wait to be stored. The period of a block in the
// spool is not known.
func (s *Server) waitingIn(ctx context.Context, tenant string, from, to time.Time) (bool, error) {
	if s.Node.Spool != nil && s.Node.Spool.State().Blocks > 0 {
		return true, nil
	}
	return s.Node.Waiting.HasFramesIn(ctx, tenant, from, to)
}
