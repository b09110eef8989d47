package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/apiclient"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
)

// session is a session with its spans.
type session struct {
	sessiondetail.Detail
	spans []*placed // depth first, in order of start
	byID  map[string]*placed
	asOf  *time.Time // the moment that it describes; nil for now
	cut   bool       // it is not what it was at its end
}

// placed is a span with its place in the tree.
type placed struct {
	*timeline.Span
	above  *placed // nil for a root
	depth  int
	failed bool // a span below it failed
}

// errNoSession is the error of a call without a session.
var errNoSession = errors.New(`the argument "session" is empty: call find_sessions for the ids of sessions`)

// readSession reads a session and its spans, as they were at a moment: now if asOf is "".
func readSession(ctx context.Context, c *call, id, asOf string) (*session, error) {
	if id == "" {
		return nil, errNoSession
	}
	at, err := parseMoment("as_of", asOf)
	if err != nil {
		return nil, err
	}
	s := &session{byID: map[string]*placed{}}
	var t timeline.Timeline
	group, within := errgroup.WithContext(ctx)
	group.Go(func() error { return c.Get(within, apiclient.SessionPath(id), nil, &s.Detail) })
	group.Go(func() error { return c.Get(within, apiclient.SessionPath(id, "timeline"), nil, &t) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if at != nil {
		if err := s.cutAt(&t, at); err != nil {
			return nil, err
		}
	}
	s.place(t.Spans, nil, 0)
	for _, p := range s.spans {
		if !p.isFailure(s) {
			continue
		}
		for above := p.above; above != nil && !above.failed; above = above.above {
			above.failed = true
		}
	}
	return s, nil
}

func (s *session) place(list []*timeline.Span, above *placed, depth int) {
	for _, of := range list {
		p := &placed{Span: of, above: above, depth: depth}
		s.spans, s.byID[of.ID] = append(s.spans, p), p
		s.place(of.Children, p, depth+1)
	}
}

// find returns a span by its id.
func (s *session) find(id string) (*placed, error) {
	if p := s.byID[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf(`session %s has no span %q: call session_outline or session_errors with this session for the ids of its spans`,
		short(s.ID, nameSize), short(id, nameSize))
}

// isFailure reports whether a span failed, was cut off, or has no end in a session that is over.
func (p *placed) isFailure(s *session) bool {
	switch p.Status {
	case "error", "rejected", "cancelled", "unclosed":
		return true
	}
	return p.Open && !s.Status.Open()
}

// path returns the names of the spans above a span, the outermost first.
func (p *placed) path() string {
	var names []string
	for above := p.above; above != nil && len(names) < 8; above = above.above {
		name := above.Name
		if name == "" {
			name = above.Kind
		}
		names = append(names, short(name, nameSize/4))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// errorAbove returns the error of the nearest span above that has one: a source may state why a call
// failed with its run.
func (p *placed) errorAbove() string {
	for above := p.above; above != nil; above = above.above {
		if above.Error != nil && *above.Error != "" {
			return *above.Error
		}
	}
	return ""
}

// took describes how long a span took, in milliseconds; nil if that is unknown.
func (p *placed) took() *float64 {
	if p.DurationMS != nil {
		return p.DurationMS
	}
	return p.ReportedMS
}

// spanLine is a span in a list.
type spanLine struct {
	ID         string   `json:"span"`
	Depth      int      `json:"depth,omitempty"`
	Kind       string   `json:"kind"`
	Name       string   `json:"name,omitempty"`
	Model      string   `json:"model,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Status     string   `json:"status"`
	StartMS    float64  `json:"start_ms"`
	DurationMS *float64 `json:"duration_ms,omitempty"`
	OpenMS     *float64 `json:"open_ms,omitempty"` // of a span without an end
	Tokens     int64    `json:"tokens,omitempty"`
	Error      string   `json:"error,omitempty"`
	ErrorAbove string   `json:"error_above,omitempty"` // of the span above, where a failed span has none
	Path       string   `json:"path,omitempty"`
	Below      int      `json:"spans_below,omitempty"`
	Position   string   `json:"position,omitempty"`
}

func newSpanLine(p *placed, errorSize int) spanLine {
	line := spanLine{ID: short(p.ID, idSize), Depth: p.depth, Kind: p.Kind, Name: short(p.Name, nameSize), Agent: short(p.Agent, nameSize),
		Status: p.Status, StartMS: p.StartMS, DurationMS: p.took(), OpenMS: p.OpenMS}
	if p.Model != nil && *p.Model != p.Name {
		line.Model = short(*p.Model, nameSize)
	}
	if p.Tokens != nil {
		line.Tokens = p.Tokens.Total
	}
	if p.Error != nil {
		line.Error = short(*p.Error, errorSize)
	}
	if line.Error == "" && p.Status == "error" {
		line.ErrorAbove = short(p.errorAbove(), errorSize)
	}
	return line
}

// setHead adds what describes a session to an answer.
func setHead(a *answer, s *session) {
	if s.asOf != nil {
		a.set("as_of", s.asOf.Format(timeForm))
	}
	a.set("session", short(s.ID, idSize))
	a.set("title", short(s.Title, excerptSize))
	a.set("status", s.Status)
	a.set("started", s.Started.Format(timeForm))
	a.set("duration_ms", s.DurationMS)
	if s.SilentMS != nil {
		a.set("silent_ms", *s.SilentMS)
	}
	if end := newEndLine(s.End); end != nil {
		a.set("end", end)
	}
	if open := newSpanRef(s.OpenSpan); open != nil {
		a.set("open_span", open)
	}
}
