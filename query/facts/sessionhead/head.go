// Package sessionhead computes the head of a session: its status, its end and the counts of its
// spans.
package sessionhead

import (
	"time"

	"tapedeck/query/facts/findings"
	"tapedeck/query/pricing/cost"
)

// Summary is one line of the list.
type Summary struct {
	Head
	Runs    uint64 `json:"runs"`
	Streams uint64 `json:"streams"`
	// Findings are the findings about the session's usage; nil unless they were requested.
	Findings []findings.Finding `json:"findings,omitzero"`
}

// Head holds the fields that the list and the page of one session share.
type Head struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"` // arrival of the first frame
	// Ended is when the session's last stream ended, or the arrival of the last frame if no later
	// end was recorded; null while the session is open.
	Ended  *time.Time `json:"ended"`
	LastAt time.Time  `json:"last_at"` // arrival of the last frame so far
	// DurationMS is the time from the first frame to Ended, or to LastAt while the session is open.
	DurationMS float64 `json:"duration_ms"`
	// RunningMS is the time since the start; null unless the session is open. SilentMS is the time
	// since the last frame; null unless the session is open or lost. Both use the clock of the
	// server.
	RunningMS *float64 `json:"running_ms"`
	SilentMS  *float64 `json:"silent_ms"`
	Status    Status   `json:"status"`
	End       *End     `json:"end"` // how it ended; null while it is open
	// OpenSpan is the span in progress, chosen as for End; null unless the session is open.
	OpenSpan *SpanRef          `json:"open_span"`
	Title    string            `json:"title"` // the first user message, cut short; "" if there is none
	Frames   uint64            `json:"frames"`
	Bytes    uint64            `json:"bytes"`
	Tools    ToolCounts        `json:"tools"`
	Dialects []string          `json:"dialects"`
	Agents   []string          `json:"agents"`
	Models   []string          `json:"models"`
	Tags     map[string]string `json:"tags"`
	cost.UsageTotals
}

// ToolCounts counts tool calls.
type ToolCounts struct {
	Calls  uint64 `json:"calls"`
	Errors uint64 `json:"errors"`
}
