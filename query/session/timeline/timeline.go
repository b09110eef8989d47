// Package timeline reads the spans of a session as a tree, with usage and gaps.
package timeline

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/session/sharewindow"
)

var statements = query.Statements("session/timeline")

// Timeline is the timeline of a session: its spans, marks and gaps.
type Timeline struct {
	SessionID  string             `json:"session_id"`
	Status     sessionhead.Status `json:"status"`
	Started    time.Time          `json:"started"`
	Ended      *time.Time         `json:"ended"` // null while the session is open
	DurationMS float64            `json:"duration_ms"`
	RunningMS  *float64           `json:"running_ms"` // of the session
	SilentMS   *float64           `json:"silent_ms"`
	// Spans are the root spans, ordered by start, each with its children.
	Spans []*Span `json:"spans"`
	// Usage holds the records whose span is not in the session.
	Usage []usagerecord.Record `json:"usage"`
	Gaps  []Gaps               `json:"gaps"`
}

// Span is one span. Offsets (start_ms) count from the session's start.
type Span struct {
	ID       string    `json:"id"`
	Parent   string    `json:"parent"` // parent id of the source, "" for none; the parent may be missing
	Kind     string    `json:"kind"`   // run, node, llm or tool
	Name     string    `json:"name"`
	Status   string    `json:"status"`
	Started  time.Time `json:"started"`
	StartMS  float64   `json:"start_ms"`
	Position string    `json:"position"` // position of the first frame that mentions the span
	// Ended and DurationMS are null for a span that has no end.
	Ended      *time.Time `json:"ended"`
	DurationMS *float64   `json:"duration_ms"`
	ReportedMS *float64   `json:"reported_ms"` // as measured by the source
	// Open marks a span without an end: it is running, hangs, or was cut off. OpenMS is how long it
	// has been open so far, or was open when its stream or session ended.
	Open   bool     `json:"open"`
	OpenMS *float64 `json:"open_ms"`
	// RunningMS is the time since the span's start, and SilentMS the time since the session's last
	// frame, by the server's clock. Both are set for open spans of open sessions.
	RunningMS *float64 `json:"running_ms"`
	SilentMS  *float64 `json:"silent_ms"`
	// FirstTokenMS is the time from the start to the first output. It is null if it was not
	// measured, or if the span began with its first output.
	FirstTokenMS *float64        `json:"first_token_ms"`
	RunID        string          `json:"run_id"`
	NodeID       string          `json:"node_id"`
	Agent        string          `json:"agent"`
	CallID       string          `json:"call_id"`
	Model        *string         `json:"model"`
	Provider     *string         `json:"provider"`
	Error        *string         `json:"error"`
	Attributes   json.RawMessage `json:"attributes"` // an object; null if there is none
	// Tokens is the sum of the span's own usage records; null if it has none.
	Tokens   *cost.Tokens         `json:"tokens"`
	Usage    []usagerecord.Record `json:"usage"`
	Children []*Span              `json:"children"`
}

// Gaps describes how evenly a message of the assistant grew.
type Gaps struct {
	MessageID string  `json:"message_id"`
	SpanID    string  `json:"span_id"`
	Chunks    uint64  `json:"chunks"`
	StartMS   float64 `json:"start_ms"` // time of the first chunk, since the session's start
	P50MS     float64 `json:"p50_ms"`
	MaxMS     float64 `json:"max_ms"`
	MaxAtMS   float64 `json:"max_at_ms"` // start of the longest gap, since the session's start
}

type gapsRow struct {
	Message     string  `ch:"message_id"`
	Span        string  `ch:"span_id"`
	Chunks      uint64  `ch:"chunks"`
	Started     int64   `ch:"started_ns"`
	P50         float64 `ch:"p50_ns"`
	Max         int64   `ch:"max_ns"`
	LongestFrom int64   `ch:"longest_from_ns"`
}

// Read returns the spans of a session as a tree.
func Read(ctx context.Context, r *query.Reader, tenant, session string) (*Timeline, error) {
	s, err := sessionstreams.Find(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	var (
		spans []spanmerge.Span
		usage []usagerecord.Record
		gaps  []gapsRow
	)
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		spans, err = spanmerge.OfSession(within, r, tenant, s)
		return err
	})
	group.Go(func() (err error) {
		usage, err = usagerecord.OfSession(within, r, tenant, s)
		return err
	})
	group.Go(func() (err error) {
		gaps, err = query.Ask[gapsRow](within, r, statements, "gaps", s, sessionstreams.Parameters(tenant, s))
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	limit, err := sharewindow.Of(ctx, r, tenant, s)
	if err != nil {
		return nil, err
	}
	if s, spans, usage = limit.Session(s, nil), limit.Spans(spans), limit.Usage(usage); limit != nil {
		gaps = nil // gaps describe whole messages
	}
	return build(s, spans, usage, gaps, r.QuietAfter(), r.Now()), nil
}

// build returns the timeline of a session at a time, ns.
func build(
	s *sessionstreams.Row, spans []spanmerge.Span, usage []usagerecord.Record, gaps []gapsRow, quietAfter time.Duration, now int64,
) *Timeline {
	head := sessionhead.Summarize(s, quietAfter, sessionhead.CountSpans(spans), now)
	t := &Timeline{
		SessionID: s.ID, Status: head.Status, Started: head.Started, Ended: head.Ended,
		DurationMS: head.DurationMS, RunningMS: head.RunningMS, SilentMS: head.SilentMS,
		Usage: []usagerecord.Record{}, Gaps: make([]Gaps, len(gaps)),
	}
	until := s.End
	if head.Status.Open() {
		until = now
	}
	list := t.hang(spans, usage, s.Started, until)
	if head.Status.Open() {
		for i := range spans {
			list[i].age(&spans[i], now, head.SilentMS)
		}
	}
	t.Spans = tree(list)
	for i := range gaps {
		t.Gaps[i] = gaps[i].gaps(s.Started)
	}
	return t
}

// hang builds the spans of the timeline and assigns the usage records to them.
func (t *Timeline) hang(spans []spanmerge.Span, usage []usagerecord.Record, from, until int64) []*Span {
	list := make([]*Span, len(spans))
	byID := make(map[string]*Span, len(spans))
	for i := range spans {
		list[i] = onTimeline(&spans[i], from, until)
		byID[list[i].ID] = list[i]
	}
	for i := range usage {
		s := byID[usage[i].SpanID]
		if s == nil {
			t.Usage = append(t.Usage, usage[i])
			continue
		}
		s.Usage = append(s.Usage, usage[i])
		if s.Tokens == nil {
			s.Tokens = &cost.Tokens{}
		}
		s.Tokens.Add(usage[i].Tokens)
	}
	return list
}

// onTimeline returns the span in the form of the timeline. from is the session's start; until is
// the time until which an open span counts as open.
func onTimeline(s *spanmerge.Span, from, until int64) *Span {
	begin := s.Begin()
	t := &Span{
		ID: s.ID, Parent: s.Parent, Kind: s.Kind, Name: s.Name, Status: s.Status,
		Started: query.Instant(begin), StartMS: query.Millis(begin - from), Position: s.Position(),
		ReportedMS: query.KnownMillis(s.Reported, s.Reported != 0),
		Open:       s.Open(),
		RunID:      s.Run, NodeID: s.Node, Agent: s.Agent, CallID: s.Call,
		Model: query.Named(s.Model), Provider: query.Named(s.Provider), Error: query.Named(s.Error),
		Attributes: query.RawJSON(s.Attributes), Usage: []usagerecord.Record{}, Children: []*Span{},
	}
	if d, ok := s.Duration(); ok {
		t.DurationMS = query.KnownMillis(d, true)
	}
	if t.Open {
		t.OpenMS = query.KnownMillis(s.OpenFor(until), true)
	} else {
		t.Ended = query.KnownInstant(s.Ended)
	}
	t.FirstTokenMS = query.KnownMillis(s.FirstToken-begin, s.Started != 0 && s.FirstToken > begin)
	return t
}

// age sets the ages of a span that may still end.
func (t *Span) age(s *spanmerge.Span, now int64, silent *float64) {
	if spanmerge.Finality(s.Status) == 0 {
		t.RunningMS, t.SilentMS = query.KnownMillis(int64(query.Since(now, s.Begin())), true), silent
	}
}

func (g *gapsRow) gaps(from int64) Gaps {
	return Gaps{
		MessageID: g.Message, SpanID: g.Span, Chunks: g.Chunks, StartMS: query.Millis(g.Started - from),
		P50MS: g.P50 / 1e6, MaxMS: query.Millis(g.Max), MaxAtMS: query.Millis(g.LongestFrom - from),
	}
}
