package sessionhead

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// SpanCounts holds counts and names from the spans of a session.
type SpanCounts struct {
	ID            string `ch:"session_id"`
	Runs          uint64 `ch:"runs"`
	OpenRuns      uint64 `ch:"open_runs"`
	UnclosedRuns  uint64 `ch:"unclosed_runs"`
	FailedRuns    uint64 `ch:"failed_runs"`
	CancelledRuns uint64 `ch:"cancelled_runs"`
	LastRun       string `ch:"last_run"`
	ToolCalls     uint64 `ch:"tool_calls"`
	ToolErrors    uint64 `ch:"tool_errors"`
	UnclosedSpans uint64 `ch:"unclosed_spans"`
	OpenSpans     uint64 `ch:"open_spans"`
	// InseparableRuns is only counted when a single session is read.
	InseparableRuns uint64
	Agents          []string `ch:"agents"`
	Models          []string `ch:"models"`
}

// Summarize returns the summary of a session at a time, ns, without its usage, end and open span.
// quietAfter is how long an open session may be silent before it is quiet.
func Summarize(streams *sessionstreams.Row, quietAfter time.Duration, spans *SpanCounts, now int64) *Summary {
	state := sessionState{
		live: streams.LiveStreams > 0, lost: streams.LostStreams > 0,
		silent: query.Since(now, streams.Last), cut: streams.Cut,
		runs: spans.Runs, openRuns: spans.OpenRuns, unclosedRuns: spans.UnclosedRuns,
		failedRuns: spans.FailedRuns, cancelledRuns: spans.CancelledRuns, lastRun: schema.Status(spans.LastRun),
	}
	status := state.status(quietAfter)
	until := streams.End
	if status.Open() {
		until = streams.Last
	}
	s := &Summary{Runs: spans.Runs, Streams: streams.Streams}
	s.Head = Head{
		ID: streams.ID, Started: query.Instant(streams.Started), LastAt: query.Instant(streams.Last),
		DurationMS: query.Millis(until - streams.Started), Status: status,
		Title: streams.Title, Frames: streams.Frames, Bytes: streams.Bytes,
		Tools:    ToolCounts{Calls: spans.ToolCalls, Errors: spans.ToolErrors},
		Dialects: streams.Dialects, Agents: query.OrEmpty(spans.Agents), Models: query.OrEmpty(spans.Models),
		Tags: map[string]string{},
	}
	if !s.Status.Open() {
		s.Ended = query.KnownInstant(until)
	}
	s.RunningMS = query.KnownMillis(int64(query.Since(now, streams.Started)), s.Status.Open())
	s.SilentMS = query.KnownMillis(int64(query.Since(now, streams.Last)), s.Status.Open() || s.Status == Lost)
	for i, key := range streams.TagKeys {
		s.Tags[key] = streams.TagValues[i]
	}
	return s
}

// CountSpans returns, for the spans of one session, the same row as sql/session_spans.sql returns
// for many sessions.
func CountSpans(spans []spanmerge.Span) *SpanCounts {
	c := &SpanCounts{}
	agents, models := map[string]bool{}, map[string]bool{}
	var last *spanmerge.Span
	for i := range spans {
		s := &spans[i]
		status := schema.Status(s.Status)
		agents[s.Agent], models[s.Model] = true, true
		if status == schema.StatusUnclosed {
			c.UnclosedSpans++
		} else if s.Open() {
			c.OpenSpans++
		}
		switch schema.SpanKind(s.Kind) {
		case schema.SpanRun:
			c.Runs++
			if strings.Contains(s.Attributes, inseparable) {
				c.InseparableRuns++
			}
			switch {
			case status == schema.StatusUnclosed:
				c.UnclosedRuns++
			case s.Open():
				c.OpenRuns++
			case status == schema.StatusError:
				c.FailedRuns++
			case status == schema.StatusCancelled:
				c.CancelledRuns++
			}
			if last == nil || last.Seen().Compare(s.Seen()) < 0 {
				last, c.LastRun = s, s.Status
			}
		case schema.SpanTool:
			c.ToolCalls++
			if status == schema.StatusError {
				c.ToolErrors++
			}
		}
	}
	c.Agents, c.Models = sortedNames(agents), sortedNames(models)
	return c
}

// inseparable is the member in a run's attributes that marks an inseparable run.
const inseparable = `"` + schema.Inseparable + `":true`

// sortedNames returns the sorted names of a set, without "".
func sortedNames(set map[string]bool) []string {
	delete(set, "")
	if len(set) == 0 {
		return []string{}
	}
	return slices.Sorted(maps.Keys(set))
}
