package modelcalls

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/schema"
)

// Order is the order of the listed calls.
type Order string

// Orders lists all orders, the default first.
var Orders = []Order{"newest", "first_token", "longest_gap", "duration", "slowest_rate"}

// orders has the SQL of each order, and the condition that a call has the value by which it is
// ordered.
var orders = map[Order]struct{ by, having string }{
	"":             {"seen_ns DESC", ""},
	"newest":       {"seen_ns DESC", ""},
	"first_token":  {"first_token_took DESC, seen_ns", "has_first_token"},
	"longest_gap":  {"longest_ns DESC, seen_ns", "streamed"},
	"duration":     {"took_ns DESC, seen_ns", "has_duration"},
	"slowest_rate": {"rate, seen_ns", "has_rate"},
}

// Call is one call of a model. Unknown values are null.
type Call struct {
	SessionID    string    `json:"session_id"`
	SpanID       string    `json:"span_id"`
	RunID        string    `json:"run_id"`
	Position     string    `json:"position"` // position of its first frame
	Started      time.Time `json:"started"`  // or the time of its first frame
	Model        *string   `json:"model"`
	Provider     *string   `json:"provider"`
	Agent        *string   `json:"agent"`
	Outcome      Outcome   `json:"outcome"`
	StopReason   *string   `json:"stop_reason"` // in the provider's words
	Error        *string   `json:"error"`
	HTTPStatus   *uint64   `json:"http_status"` // of a refused request
	Retry        bool      `json:"retry"`
	FirstTokenMS *float64  `json:"first_token_ms"`
	DurationMS   *float64  `json:"duration_ms"`
	OutputTokens *uint64   `json:"output_tokens"`
	// TokensPerSecond is the rate of output tokens from the first chunk to the last.
	TokensPerSecond *float64 `json:"tokens_per_second"`
	Chunks          uint64   `json:"chunks"`
	GapP50MS        *float64 `json:"gap_p50_ms"`
	GapP99MS        *float64 `json:"gap_p99_ms"`
	LongestGapMS    *float64 `json:"longest_gap_ms"`
	// LongestGapAt is the start of the longest gap.
	LongestGapAt *time.Time `json:"longest_gap_at"`
	Stalls       uint64     `json:"stalls"`
}

type callRow struct {
	Session       string    `ch:"session_id"`
	Span          string    `ch:"span_id"`
	Model         string    `ch:"call_model"`
	Provider      string    `ch:"call_provider"`
	Agent         string    `ch:"call_agent"`
	Status        string    `ch:"call_status"`
	Run           string    `ch:"run_id"`
	Outcome       string    `ch:"outcome"`
	StopReason    string    `ch:"stop_reason"`
	Error         string    `ch:"call_error"`
	HTTPStatus    uint64    `ch:"http_status"`
	Started       int64     `ch:"started_ns"`
	Ended         int64     `ch:"ended_ns"`
	Seen          int64     `ch:"seen_ns"`
	Stream        string    `ch:"first_stream"`
	Seq           uint64    `ch:"first_frame"`
	HasFirstToken bool      `ch:"has_first_token"`
	FirstToken    int64     `ch:"first_token_took"`
	HasDuration   bool      `ch:"has_duration"`
	Took          int64     `ch:"took_ns"`
	OutputTokens  uint64    `ch:"output_tokens"`
	AllTokens     uint64    `ch:"all_tokens"`
	HasRate       bool      `ch:"has_rate"`
	Rate          float64   `ch:"rate"`
	Chunks        uint64    `ch:"chunks"`
	Streamed      bool      `ch:"streamed"`
	Stalls        uint64    `ch:"stalls"`
	Longest       int64     `ch:"longest_ns"`
	Retry         bool      `ch:"retry"`
	Gaps          []float64 `ch:"gap_quantiles"`
	LongestFrom   int64     `ch:"longest_from_ns"`
}

func readCalls(ctx context.Context, r *query.Reader, a *asked) ([]Call, error) {
	rows, err := ask[callRow](ctx, r, a, "calls_list")
	if err != nil {
		return nil, err
	}
	calls := make([]Call, len(rows))
	for i := range rows {
		calls[i] = rows[i].call()
	}
	return calls, nil
}

func (r *callRow) call() Call {
	began := r.Started
	if began == 0 {
		began = r.Seen
	}
	c := Call{
		SessionID: r.Session, SpanID: r.Span, RunID: r.Run, Started: query.Instant(began),
		Position: schema.Position{At: r.Seen, StreamID: r.Stream, Seq: r.Seq}.String(),
		Model:    query.Named(r.Model), Provider: query.Named(r.Provider), Agent: query.Named(r.Agent),
		Outcome: Outcome(r.Outcome), StopReason: query.Named(r.StopReason), Error: query.Named(r.Error), Retry: r.Retry,
		FirstTokenMS: query.KnownMillis(r.FirstToken, r.HasFirstToken),
		DurationMS:   query.KnownMillis(r.Took, r.HasDuration),
		Chunks:       r.Chunks, LongestGapMS: query.KnownMillis(r.Longest, r.Streamed),
		LongestGapAt: query.KnownInstant(r.LongestFrom), Stalls: r.Stalls,
	}
	if r.HTTPStatus != 0 {
		c.HTTPStatus = &r.HTTPStatus
	}
	if r.AllTokens > 0 {
		c.OutputTokens = &r.OutputTokens
	}
	if r.HasRate {
		c.TokensPerSecond = &r.Rate
	}
	if r.Streamed {
		c.GapP50MS, c.GapP99MS = known(r.Gaps[0]/1e6), known(r.Gaps[1]/1e6)
	}
	return c
}

func known(v float64) *float64 { return &v }
