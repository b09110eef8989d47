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
// between several frames, so all frames of a session are read, in order, at the first request, and
// again when a request meets a frame that was stored since.
type Views struct {
	library replay.Library
	rules   func() *redact.Engine // the current rules for secrets

	flight singleflight.Group
	mu     sync.Mutex // guards the fields below
	kept   map[string]kept
}

// kept holds the masked frames of a session, which frames were read, the rules that masked them, and
// when they were last used.
type kept struct {
	masked map[sessionframes.FrameID][]byte
	read   frameSet
	engine *redact.Engine
	used   time.Time
}

// NewViews returns the views of a library's sessions. The library has all frames that a database has: one with a
// cache may lack those that requests meet. rules returns the current rules for secrets.
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

// Of returns the view of a share. A frame belongs to it by the time of its capture, so that frames may be
// stored after the creation of the link, although the share ends no later.
func (v *Views) Of(p *access.Principal, tenant string) *sessionframes.View {
	s := p.Share
	view := &sessionframes.View{
		Masked: func(ctx context.Context, of []sessionframes.FrameID) (map[sessionframes.FrameID][]byte, error) {
			return v.masked(ctx, p.ID, tenant, s, of)
		},
		Text: v.engine().NewMasker().Text,
	}
	if s.From != nil {
		view.From = s.From.UnixNano()
	}
	if s.To != nil {
		view.To = s.To.UnixNano()
	}
	return view
}

// masked returns the masked frames of a share's session, for which some frames were read.
func (v *Views) masked(ctx context.Context, id, tenant string, s *access.Share, of []sessionframes.FrameID) (map[sessionframes.FrameID][]byte, error) {
	engine := v.engine()
	for range 2 { // the first reading may have begun before they were stored
		made, err := v.reading(ctx, id, tenant, s, engine, of)
		if err != nil {
			return nil, err
		}
		if made.read.hasAll(of) {
			return made.masked, nil
		}
	}
	return nil, &problem.Problem{
		Title: "Frames changed", Status: http.StatusServiceUnavailable,
		Detail: fmt.Sprintf("Frames of session %q were stored while its secrets were masked.", s.Session), Hint: "Try again.",
	}
}

// reading returns the masked frames in the cache if some frames were read for them, and otherwise reads the session.
func (v *Views) reading(ctx context.Context, id, tenant string, s *access.Share, engine *redact.Engine, of []sessionframes.FrameID) (*kept, error) {
	if had := v.cached(id, engine); had != nil && had.read.hasAll(of) {
		return had, nil
	}
	reading := v.flight.DoChan(fmt.Sprintf("%s %p", id, engine), func() (any, error) {
		// Another call may have read them since this request checked the cache.
		if had := v.cached(id, engine); had != nil && had.read.hasAll(of) {
			return had, nil
		}
		// Other requests wait for the result too, so it continues when the first request ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
		defer cancel()
		made, err := v.read(ctx, tenant, s, engine)
		if err != nil {
			return nil, err
		}
		made.engine, made.used = engine, time.Now()
		v.keep(id, *made)
		return made, nil
	})
	select {
	case made := <-reading:
		if made.Err != nil {
			return nil, made.Err
		}
		return made.Val.(*kept), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// cached returns the masked frames of a share if they are in the cache, and marks them as used.
func (v *Views) cached(id string, engine *redact.Engine) *kept {
	v.mu.Lock()
	defer v.mu.Unlock()
	had, is := v.kept[id]
	if !is || had.engine != engine {
		return nil
	}
	had.used = time.Now()
	v.kept[id] = had
	return &had
}

// keep caches the masked frames of a share, and evicts the least recently used ones.
func (v *Views) keep(id string, made kept) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.kept, id)
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
func (v *Views) read(ctx context.Context, tenant string, s *access.Share, engine *redact.Engine) (*kept, error) {
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
	masked, read, size := map[sessionframes.FrameID][]byte{}, frameSet{}, 0
	streams := map[string]*redact.Masker{}
	pass := func(stream string) func(*schema.Frame) {
		return func(f *schema.Frame) {
			if f.Flags&schema.FlagRedacted != 0 {
				masked[sessionframes.FrameID{Stream: stream, Seq: f.Seq}] = append([]byte(nil), f.Raw...)
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
			read.add(stream, f.Seq)
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
	read.sort()
	return &kept{masked: masked, read: read}, nil
}
