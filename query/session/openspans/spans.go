package openspans

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Bounds of the answer.
const (
	spansMost     = 50  // spans of a session
	argumentsMost = 400 // characters of the arguments of a tool call
)

// Span is a span without an end in a stream that has not ended and whose recorder is alive.
type Span struct {
	ID       string    `json:"id"`
	Parent   string    `json:"parent"`
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	Status   string    `json:"status"`  // open or waiting
	Waiting  bool      `json:"waiting"` // it waits for an approval, a person or a client
	Agent    string    `json:"agent"`
	Model    *string   `json:"model"`
	RunID    string    `json:"run_id"`
	Position string    `json:"position"` // position of the first frame that mentions the span
	Started  time.Time `json:"started"`
	// RunningMS is the time since the start, by the server's clock.
	RunningMS float64 `json:"running_ms"`
	// Arguments is the beginning of the arguments of a tool call; null for other spans.
	Arguments *string `json:"arguments"`
	// ArgumentsCut reports that the arguments are longer.
	ArgumentsCut bool `json:"arguments_cut"`
	// Usual is how long earlier calls of the tool took; null for other spans, and for tools with fewer
	// than 20 earlier calls.
	Usual *Usual `json:"usual"`
}

// Usual compares a tool call with the earlier calls of its tool.
type Usual struct {
	Calls uint64  `json:"calls"` // earlier calls with a time
	P99MS float64 `json:"p99_ms"`
	// Ratio is the time since the start divided by the p99; null if the p99 is 0.
	Ratio *float64 `json:"ratio"`
}

type spanRow struct {
	Session string `ch:"session_id"`
	ID      string `ch:"span_id"`
	Parent  string `ch:"span_parent"`
	Kind    string `ch:"span_kind"`
	Name    string `ch:"span_name"`
	Status  string `ch:"live_status"`
	Agent   string `ch:"span_agent"`
	Model   string `ch:"span_model"`
	Run     string `ch:"span_run"`
	Begin   int64  `ch:"begin_ns"`
	SeenAt  int64  `ch:"seen_ns"`
	Stream  string `ch:"first_stream"`
	Seq     uint64 `ch:"first_frame"`
	Open    uint64 `ch:"open_spans"` // of the session
}

// addSpans adds the open spans to sessions.
func addSpans(ctx context.Context, r *query.Reader, tenant string, sessions []Session, usuals *toolreport.Usuals) error {
	if len(sessions) == 0 {
		return nil
	}
	of := make([]sessionfilter.Session, len(sessions))
	byID := make(map[string]*Session, len(sessions))
	for i := range sessions {
		s := &sessions[i]
		of[i] = sessionfilter.Session{ID: s.ID, Started: s.Started.UnixNano(), Last: s.LastAt.UnixNano()}
		byID[s.ID] = s
	}
	a := sessionfilter.Parameters(tenant, of)
	rows, err := query.Ask[spanRow](ctx, r, statements, "open_spans", nil,
		a.With("most", spansMost).And(query.Liveness(r.Now(), r, tenant)))
	if err != nil {
		return err
	}
	var texts map[spanKey]argumentsRow
	var usual map[string]toolreport.Usual
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		texts, err = readArguments(within, r, a, rows)
		return err
	})
	group.Go(func() (err error) {
		usual, err = usuals.Read(within, r, tenant, toolsOf(rows))
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		span := row.span(byID[row.Session])
		if text, ok := texts[spanKey{row.Session, row.ID}]; ok {
			span.Arguments, span.ArgumentsCut = &text.Text, text.Cut
		}
		if times, ok := usual[row.Name]; ok && span.Kind == string(schema.SpanTool) {
			span.Usual = compare(span.RunningMS, times)
		}
		s := byID[row.Session]
		s.OpenSpans, s.Spans = row.Open, append(s.Spans, span)
	}
	return nil
}

// span returns the span of a session. Its age is of the same moment as that of the session.
func (row *spanRow) span(of *Session) Span {
	sinceSession := query.Millis(row.Begin - of.Started.UnixNano())
	s := Span{ID: row.ID, Parent: row.Parent, Kind: row.Kind, Name: row.Name, Status: row.Status, Agent: row.Agent,
		Model: query.Named(row.Model), RunID: row.Run, Started: query.Instant(row.Begin),
		Position:  schema.Position{At: row.SeenAt, StreamID: row.Stream, Seq: row.Seq}.String(),
		RunningMS: max(*of.RunningMS-sinceSession, 0)}
	if s.Status == "" {
		s.Status = string(schema.StatusOpen)
	}
	s.Waiting = s.Status == string(schema.StatusWaiting)
	return s
}

type spanKey struct{ session, span string }

type argumentsRow struct {
	Session string `ch:"session_id"`
	Span    string `ch:"of_span"`
	Text    string `ch:"beginning"`
	Cut     bool   `ch:"cut"`
}

// readArguments returns the beginnings of the arguments of the tool calls.
func readArguments(ctx context.Context, r *query.Reader, a query.Args, rows []spanRow) (map[spanKey]argumentsRow, error) {
	var ids []string
	for i := range rows {
		if rows[i].Kind == string(schema.SpanTool) {
			ids = append(ids, rows[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	texts, err := query.Ask[argumentsRow](ctx, r, statements, "open_arguments", nil,
		a.With("spans", ids).With("most", argumentsMost))
	of := make(map[spanKey]argumentsRow, len(texts))
	for _, t := range texts {
		of[spanKey{t.Session, t.Span}] = t
	}
	return of, err
}

// toolsOf returns the names of the tools with an open call.
func toolsOf(rows []spanRow) map[string]bool {
	tools := map[string]bool{}
	for i := range rows {
		if rows[i].Kind == string(schema.SpanTool) && rows[i].Name != "" {
			tools[rows[i].Name] = true
		}
	}
	return tools
}

func compare(runningMS float64, times toolreport.Usual) *Usual {
	u := &Usual{Calls: times.Calls, P99MS: times.P99MS}
	if times.P99MS > 0 {
		ratio := runningMS / times.P99MS
		u.Ratio = &ratio
	}
	return u
}
