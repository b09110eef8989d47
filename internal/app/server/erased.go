package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/problem"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema/lifecycle/tombstone"
)

// sessionReaders holds the running requests about sessions. They end when their session is deleted.
// It is safe for use by many goroutines.
type sessionReaders struct {
	deleted *tombstone.Set

	mu   sync.Mutex // guards the fields below
	open map[*sessionReader]struct{}
}

type sessionReader struct {
	of     tombstone.Key
	before time.Time // time of the session's deletion when the request began; zero for none
	cancel context.CancelCauseFunc
}

func newSessionReaders(deleted *tombstone.Set) *sessionReaders {
	return &sessionReaders{deleted: deleted, open: map[*sessionReader]struct{}{}}
}

// enter adds a request. Its context ends when the session is deleted.
func (r *sessionReaders) enter(ctx context.Context, of tombstone.Key) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &sessionReader{of, deletedAt(r.deleted.Known(of)), cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[one] = struct{}{}
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, one)
	}
}

func deletedAt(t *tombstone.Tombstone) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.At
}

// endEvery is the interval at which the requests of deleted sessions are ended.
const endEvery = 250 * time.Millisecond

// run ends requests about deleted sessions until ctx ends.
func (r *sessionReaders) run(ctx context.Context) {
	tick := time.NewTicker(endEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.mu.Lock()
		for one := range r.open {
			if at := deletedAt(r.deleted.Known(one.of)); at.After(one.before) {
				one.cancel(goneProblem(one.of.Session, at))
			}
		}
		r.mu.Unlock()
	}
}

func goneProblem(session string, at time.Time) *problem.Problem {
	return &problem.Problem{
		Title: problem.SessionDeleted, Status: http.StatusGone,
		Detail: fmt.Sprintf("The session %q was deleted at %s.", session, at.UTC().Format(time.RFC3339)),
	}
}

// gone returns the problem for a deleted session, nil if the session was not deleted or was
// recorded again.
func (s *Server) gone(ctx context.Context, of tombstone.Key) *problem.Problem {
	if s.reader == nil || s.Node.Deleted == nil {
		return nil
	}
	t := s.Node.Deleted.Known(of)
	if t == nil {
		return nil
	}
	_, err := sessionstreams.Find(ctx, s.reader, of.Tenant, of.Session)
	if p, known := problem.From(err); err == nil || !known || p.Status != http.StatusNotFound {
		return nil
	}
	return goneProblem(of.Session, t.At)
}

// unlessDeleted is middleware that answers with 410 on the routes of a deleted session, and on
// routes that need frames if the frames of the session have expired. It ends requests about a
// session that is deleted meanwhile.
func (s *Server) unlessDeleted(method, path string, next echo.HandlerFunc) echo.HandlerFunc {
	if path == comparePath {
		return s.unlessEitherDeleted(next)
	}
	ofSession := strings.HasPrefix(path, "/v1/sessions/:id")
	if !ofSession && !strings.HasPrefix(path, "/emulate/:id") {
		return next
	}
	deletes := method == http.MethodDelete && ofSession
	return func(c echo.Context) error {
		if s.watched == nil || deletes {
			return next(c)
		}
		return forSession(func(_ http.ResponseWriter, r *http.Request, tenant, session string) {
			of := tombstone.Key{Tenant: tenant, Session: session}
			p := s.gone(r.Context(), of)
			if p == nil && needsFrames(path) {
				p = s.framesExpired(r.Context(), of)
			}
			if p != nil {
				problem.Write(c.Response(), p)
				return
			}
			ctx, leave := s.watched.enter(r.Context(), of)
			defer leave()
			c.SetRequest(r.WithContext(ctx))
			if err := next(c); err != nil {
				c.Error(err)
			}
		})(c)
	}
}

// erasureRoutes adds the routes of erasures.
func (s *Server) erasureRoutes(rt *routeTable) {
	rt.add([]row{
		{admins, audit.None, getHead, "/v1/erasures", nil, only(plain(s.Erasures.ServeList))},
		{admins, audit.None, getHead, "/v1/erasures/:id", nil, only(func(c echo.Context) error {
			s.Erasures.ServeOne(c.Response(), c.Request(), c.Param("id"))
			return nil
		})},
		{admins, audit.SessionErase, post, "/v1/erasures", nil, only(forTenant(s.Erasures.ServeRequest))},
	})
}

// newErasures returns the service of erasures of a server with the role api.
func (s *Server) newErasures() *erasure.Service {
	o := s.Erase
	o.NATS, o.DB, o.Deleted, o.Letters, o.Tokens, o.Log = s.Node.NATS, s.Node.Work, s.Node.Deleted, s.Node.DeadLetters, s.Tokens, s.Log
	o.Announce = s.Node.Changes.Sessions
	if spool := s.Node.Spool; spool != nil {
		o.Spooled = func() time.Duration {
			st := spool.State()
			if st.Blocks == 0 {
				return 0
			}
			return time.Duration(st.OldestMS * float64(time.Millisecond))
		}
	}
	return erasure.New(o)
}
