package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
	"tapedeck/query/session/sessionframes"
	"tapedeck/replay"
	"tapedeck/schema"
)

const (
	// keptViews is the number of sessions whose masked frames are cached.
	keptViews = 8
	// maskedLimit bounds the masked frames of a session, bytes.
	maskedLimit = 64 << 20
	// readLimit bounds how long reading the frames of a session may take.
	readLimit = 2 * time.Minute
)

// Views holds the frames of shared sessions with their secrets masked. A secret may be divided
// between several frames, so all frames of a session are read, in order, at the first request.
type Views struct {
	library replay.Library
	rules   func() *redact.Engine // the current rules for secrets

	flight singleflight.Group
	mu     sync.Mutex // guards the fields below
	kept   map[string]kept
}

// kept holds the masked frames of a session, the rules that masked them, and when they were last
// used.
type kept struct {
	masked map[schema.Position][]byte
	engine *redact.Engine
	used   time.Time
}

// NewViews returns the views of a library's sessions. rules returns the current rules for secrets.
func NewViews(l replay.Library, rules func() *redact.Engine) *Views {
	return &Views{library: l, rules: rules, kept: map[string]kept{}}
}

// engine returns the rules that mask views: the rules for credentials if recordings have no rules.
func (v *Views) engine() *redact.Engine {
	if e := v.rules(); e.Enabled() {
		return e
	}
	return redact.Default()
}

// Of returns the view of a share. Its frames do not change, since the share ends no later than the
// creation of the link.
func (v *Views) Of(p *access.Principal, tenant string) *sessionframes.View {
	s := p.Share
	view := &sessionframes.View{Masked: func(ctx context.Context) (map[schema.Position][]byte, error) {
		return v.masked(ctx, p.ID, tenant, s)
	}}
	if s.From != nil {
		view.From = s.From.UnixNano()
	}
	if s.To != nil {
		view.To = s.To.UnixNano()
	}
	return view
}

// masked returns the masked frames of a share's session.
func (v *Views) masked(ctx context.Context, id, tenant string, s *access.Share) (map[schema.Position][]byte, error) {
	engine := v.engine()
	if masked, is := v.cached(id, engine); is {
		return masked, nil
	}
	reading := v.flight.DoChan(fmt.Sprintf("%s %p", id, engine), func() (any, error) {
		// Another call may have read them since this request checked the cache.
		if masked, is := v.cached(id, engine); is {
			return masked, nil
		}
		// Other requests wait for the result too, so it continues when the first request ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
		defer cancel()
		masked, err := v.read(ctx, tenant, s, engine)
		if err != nil {
			return nil, err
		}
		v.keep(id, kept{masked, engine, time.Now()})
		return masked, nil
	})
	select {
	case made := <-reading:
		if made.Err != nil {
			return nil, made.Err
		}
		return made.Val.(map[schema.Position][]byte), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// cached returns the masked frames of a share if they are in the cache, and marks them as used.
func (v *Views) cached(id string, engine *redact.Engine) (map[schema.Position][]byte, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	had, is := v.kept[id]
	if !is || had.engine != engine {
		return nil, false
	}
	had.used = time.Now()
	v.kept[id] = had
	return had.masked, true
}

// keep caches the masked frames of a share, and evicts the least recently used ones.
func (v *Views) keep(id string, made kept) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.kept) >= keptViews {
		oldest := ""
		for other, k := range v.kept {
			if oldest == "" || k.used.Before(v.kept[oldest].used) {
				oldest = other
			}
		}
		delete(v.kept, oldest)
	}
	v.kept[id] = made
}

// read masks the frames of a session up to the end of a share.
func (v *Views) read(ctx context.Context, tenant string, s *access.Share, engine *redact.Engine) (map[schema.Position][]byte, error) {
	tape, err := v.library.Tape(ctx, tenant, s.Session)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, problem.NotFound(fmt.Sprintf("There is no session %q.", s.Session))
	}
	if err != nil {
		return nil, err
	}
	r, err := tape.Read(ctx, replay.Query{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	masked, size := map[schema.Position][]byte{}, 0
	streams := map[string]*redact.Masker{}
	pass := func(stream string) func(*schema.Frame) {
		return func(f *schema.Frame) {
			if f.Flags&schema.FlagRedacted != 0 {
				masked[schema.PositionOf(stream, f)] = append([]byte(nil), f.Raw...)
				size += len(f.Raw)
			}
		}
	}
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, replay.ErrLive) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range frames {
			stream := frames[i].Stream.StreamID
			if streams[stream] == nil {
				streams[stream] = engine.NewMasker()
				streams[stream].SetDialect(frames[i].Stream.Dialect)
			}
			f := frames[i].Frame
			streams[stream].Push(&f, pass(stream))
		}
		if size > maskedLimit {
			return nil, &problem.Problem{
				Title: "Too much is masked", Status: http.StatusServiceUnavailable,
				Detail: fmt.Sprintf("The frames of session %q with secrets have more than %d bytes.", s.Session,
					maskedLimit), Hint: "Share a span of the session.",
			}
		}
	}
	for stream, m := range streams {
		m.End(pass(stream))
	}
	return masked, nil
}
