package toolreport

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/report/grouping"
	"tapedeck/schema"
)

// SlowCall is one tool call.
type SlowCall struct {
	SessionID  string     `json:"session_id"`
	SpanID     string     `json:"span_id"`
	Tool       *string    `json:"tool"`
	Agent      *string    `json:"agent"`
	Status     string     `json:"status"`
	Started    *time.Time `json:"started"`
	DurationMS *float64   `json:"duration_ms"` // null for a call without an end
	RunningMS  *float64   `json:"running_ms"`  // time since the start of a call that runs; else null
	OpenMS     *float64   `json:"open_ms"`     // of a call without an end that does not run; else null
	Position   string     `json:"position"`    // position of its first frame
}

type slowRow struct {
	Session string `ch:"session_id"`
	Span    string `ch:"span_id"`
	Name    string `ch:"span_name"`
	Agent   string `ch:"span_agent"`
	Status  string `ch:"span_status"`
	Started int64  `ch:"started_ns"`
	Took    int64  `ch:"took_ns"`
	Runs    bool   `ch:"runs"`
	SeenAt  int64  `ch:"seen_ns"`
	Stream  string `ch:"first_stream"`
	Seq     uint64 `ch:"first_frame"`

	Unclosed bool // it has no end, and does not run
}

// slowest returns the n tool calls that lasted longest: those that ended, those that run, and those
// without an end.
func slowest(ctx context.Context, r *query.Reader, b *grouping.Report, n int) ([]SlowCall, error) {
	rows, err := grouping.Ask[slowRow](ctx, r, statements, b, "tools_slowest", b.Args.With("slowest", n))
	if err == nil {
		rows, err = withUnclosed(ctx, r, b, rows, n)
	}
	if err != nil || len(rows) == 0 {
		return []SlowCall{}, err
	}
	calls := make([]SlowCall, len(rows))
	for i, row := range rows {
		calls[i] = SlowCall{
			SessionID: row.Session, SpanID: row.Span, Tool: query.Named(row.Name), Agent: query.Named(row.Agent),
			Status: row.Status, Started: query.KnownInstant(row.Started),
			DurationMS: query.KnownMillis(row.Took, !row.Runs && !row.Unclosed),
			RunningMS:  query.KnownMillis(row.Took, row.Runs),
			OpenMS:     query.KnownMillis(row.Took, row.Unclosed),
			Position:   schema.Position{At: row.SeenAt, StreamID: row.Stream, Seq: row.Seq}.String(),
		}
	}
	return calls, nil
}
