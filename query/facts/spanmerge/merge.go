// Package spanmerge reads the spans of sessions and merges the views that several streams have of
// one span.
package spanmerge

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

var statements = query.Statements("facts/spanmerge")

// Span is one stream's view of a span, or the merged view.
type Span struct {
	ID         string `ch:"span_id"`
	Stream     string `ch:"stream_id"` // with SeenAt and SeenSeq: the first frame that mentions the span
	SeenAt     int64  `ch:"seen_ns"`
	SeenSeq    uint64 `ch:"seen_seq"`
	Version    uint64 `ch:"version"`
	Kind       string `ch:"kind"`
	Parent     string `ch:"parent_id"`
	Name       string `ch:"name"`
	Status     string `ch:"status"`
	Started    int64  `ch:"started_ns"`
	Ended      int64  `ch:"ended_ns"`
	FirstToken int64  `ch:"first_token_ns"`
	Reported   int64  `ch:"duration_ns"` // duration as measured by the source
	Run        string `ch:"run_id"`
	Node       string `ch:"node_id"`
	Agent      string `ch:"agent"`
	Call       string `ch:"call_id"`
	Model      string `ch:"model"`
	Provider   string `ch:"provider"`
	Error      string `ch:"error"`
	Attributes string `ch:"attributes"`
	Closed     int64  // for an unclosed span the end of its run or its stream, ns; 0 if unknown
}

// OfSession returns the merged spans of a session, ordered by start.
func OfSession(ctx context.Context, r *query.Reader, tenant string, s *sessionstreams.Row) ([]Span, error) {
	return First(ctx, r, tenant, s, 0)
}

// First is OfSession with a limit: it returns at most the given number of spans, in the order in
// which they were first seen. 0 means no limit.
func First(ctx context.Context, r *query.Reader, tenant string, s *sessionstreams.Row, most int) ([]Span, error) {
	views, err := query.Ask[Span](ctx, r, statements, "spans", struct{ Limit, Original bool }{most > 0, s.Original},
		sessionstreams.Parameters(tenant, s).With("limit", most))
	if err != nil {
		return nil, err
	}
	return mergeSession(s, views), nil
}

// mergeSession merges the views of the spans of a session, and sets the ends of unclosed spans.
func mergeSession(s *sessionstreams.Row, views []Span) []Span {
	ends := make(map[string]int64, len(s.StreamIDs))
	for i, id := range s.StreamIDs {
		ends[id] = s.StreamEnds[i]
	}
	for i := range views {
		if v := &views[i]; Finality(v.Status) == 1 {
			v.Closed = ends[v.Stream]
		}
	}
	byTrace := idsByTrace(views)
	merged := Merge(views)
	for i := range merged {
		if id, ok := byTrace[merged[i].Parent]; ok && id != merged[i].ID {
			merged[i].Parent = id
		}
	}
	closeWithRuns(merged)
	return merged
}

// closeWithRuns closes unclosed spans at the end of the run that contains them, if the run ended
// before its stream.
func closeWithRuns(spans []Span) {
	byID := make(map[string]*Span, len(spans))
	for i := range spans {
		byID[spans[i].ID] = &spans[i]
	}
	for i := range spans {
		s := &spans[i]
		if Finality(s.Status) != 1 || s.Closed == 0 {
			continue
		}
		above := byID[s.Parent]
		for depth := 0; above != nil && above.Kind != string(schema.SpanRun) && depth < len(spans); depth++ {
			above = byID[above.Parent]
		}
		if above != nil && !above.Open() && above.Ended >= s.Begin() {
			s.Closed = min(s.Closed, above.Ended)
		}
	}
}

// Merge merges the views of each span. The merged span has the earliest start, the earliest first
// token and the latest end of stream. Its status, end and error come from the first view (see
// compare). Each other value comes from the first view that has the value. sql/merged_spans.sql
// does the same for lists and reports. Merge reorders views.
func Merge(views []Span) []Span {
	slices.SortFunc(views, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), -compare(&a, &b))
	})
	merged := views[:0]
	for i := range views {
		if n := len(merged); n > 0 && merged[n-1].ID == views[i].ID {
			merged[n-1].take(&views[i])
			continue
		}
		merged = append(merged, views[i])
	}
	slices.SortFunc(merged, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Begin(), b.Begin()), a.Seen().Compare(b.Seen()), cmp.Compare(a.ID, b.ID))
	})
	return merged
}

// compare orders the views of one span; the greatest view is the first view of Merge. A view with a
// real end is greater than a view that ends with its stream, which is greater than an open view.
// Equal views are ordered by endRank, then by version.
func compare(a, b *Span) int {
	return cmp.Or(
		cmp.Compare(Finality(a.Status), Finality(b.Status)),
		cmp.Compare(a.endRank(), b.endRank()),
		cmp.Compare(a.Version, b.Version),
		cmp.Compare(a.Stream, b.Stream),
		cmp.Compare(a.SeenSeq, b.SeenSeq),
	)
}

// endRank orders the ends of views. A later end has a higher rank, with two exceptions whose
// earliest real end has the highest rank. The result of a tool call is sent to the model with the
// next request, which is another stream of the session, and again with later requests, but the call
// itself took no longer. Streams with the same frames (see dialect.EventID) saw the same end; the
// first of them was not delayed by the recording. A known end ranks above none.
func (s *Span) endRank() int64 {
	first := s.Kind == string(schema.SpanTool) || strings.Contains(s.ID, ":event:")
	if first && Finality(s.Status) == 2 && s.Ended > 0 {
		return math.MaxInt64 - s.Ended
	}
	return max(s.Ended, 0)
}

func Finality(status string) int {
	switch s := schema.Status(status); {
	case !s.Ended():
		return 0
	case s == schema.StatusUnclosed:
		return 1
	}
	return 2
}

// take fills the empty values of s from a later view.
func (s *Span) take(view *Span) {
	if view.Seen().Compare(s.Seen()) < 0 {
		s.SeenAt, s.Stream, s.SeenSeq = view.SeenAt, view.Stream, view.SeenSeq
	}
	s.Closed = max(s.Closed, view.Closed)
	s.Started = earliest(s.Started, view.Started)
	s.FirstToken = earliest(s.FirstToken, view.FirstToken)
	s.Reported = cmp.Or(s.Reported, view.Reported)
	s.Kind = cmp.Or(s.Kind, view.Kind)
	s.Parent = cmp.Or(s.Parent, view.Parent)
	s.Name = cmp.Or(s.Name, view.Name)
	s.Run = cmp.Or(s.Run, view.Run)
	s.Node = cmp.Or(s.Node, view.Node)
	s.Agent = cmp.Or(s.Agent, view.Agent)
	s.Call = cmp.Or(s.Call, view.Call)
	s.Model = cmp.Or(s.Model, view.Model)
	s.Provider = cmp.Or(s.Provider, view.Provider)
	s.Attributes = cmp.Or(s.Attributes, view.Attributes)
}

// earliest returns the earlier of two times; 0 means no time.
func earliest(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Begin returns when the span started, ns: its recorded start; or, if only its end was recorded,
// the end minus the measured duration; or else the time of the first frame that mentions the span.
func (s *Span) Begin() int64 {
	switch {
	case s.Started != 0:
		return s.Started
	case s.Ended != 0 && s.Reported > 0:
		return s.Ended - s.Reported
	}
	return s.SeenAt
}

// Open reports whether the span has no end of its own.
func (s *Span) Open() bool { return Finality(s.Status) < 2 }

// OpenFor returns how long an open span lasted, ns: until it was cut off, until its run or stream
// ended, or until the given time, in ns since 1970.
func (s *Span) OpenFor(until int64) int64 {
	return max(cmp.Or(s.Ended, s.Closed, until)-s.Begin(), 0)
}

// Duration returns how long the span took, ns, and whether that is known.
func (s *Span) Duration() (int64, bool) {
	switch {
	case s.Open():
		return 0, false
	case s.Started != 0 && s.Ended != 0:
		return s.Ended - s.Started, true
	}
	return s.Reported, s.Reported > 0
}

// Seen returns the position of the first frame that mentions the span. Frames that arrived in one
// read share their time, so only the whole position orders spans.
func (s *Span) Seen() schema.Position {
	return schema.Position{At: s.SeenAt, StreamID: s.Stream, Seq: s.SeenSeq}
}

// Position returns Seen in the form of the API.
func (s *Span) Position() string { return s.Seen().String() }
