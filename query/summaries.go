package query

import (
	"context"

	"tapedeck/schema"
)

// sessionStreamsShape is what sql/session_streams.sql asks of.
type sessionStreamsShape struct {
	Since bool // no stream is older than oldest_stream, s since 1970
	Ends  bool // when each stream ended
}

// sessionStreamsRow is what the streams tell of a session.
type sessionStreamsRow struct {
	ID          string   `ch:"session_id"`
	Started     int64    `ch:"started_ns"`
	Last        int64    `ch:"last_ns"`
	End         int64    `ch:"end_ns"`        // of the last stream, or the last frame
	LastEnded   int64    `ch:"last_ended_ns"` // of the stream that was last to end; 0 if it did not
	LastReason  string   `ch:"last_reason"`
	StreamIDs   []string `ch:"stream_ids"` // with StreamEnds: when each stream ended, or its last frame
	StreamEnds  []int64  `ch:"stream_ends"`
	Streams     uint64   `ch:"streams"`
	Frames      uint64   `ch:"frames"`
	Bytes       uint64   `ch:"bytes"`
	LiveStreams uint64   `ch:"live_streams"`
	LostStreams uint64   `ch:"lost_streams"`
	Cut         bool     `ch:"cut"`
	Title       string   `ch:"title"`
	Dialects    []string `ch:"dialects"`
	TagKeys     []string `ch:"tag_keys"`
	TagValues   []string `ch:"tag_values"`
}

// sessionSpansRow is what the spans tell of a session.
type sessionSpansRow struct {
	ID            string   `ch:"session_id"`
	Runs          uint64   `ch:"runs"`
	OpenRuns      uint64   `ch:"open_runs"`
	UnclosedRuns  uint64   `ch:"unclosed_runs"`
	FailedRuns    uint64   `ch:"failed_runs"`
	CancelledRuns uint64   `ch:"cancelled_runs"`
	LastRun       string   `ch:"last_run"`
	ToolCalls     uint64   `ch:"tool_calls"`
	ToolErrors    uint64   `ch:"tool_errors"`
	UnclosedSpans uint64   `ch:"unclosed_spans"`
	OpenSpans     uint64   `ch:"open_spans"`
	Agents        []string `ch:"agents"`
	Models        []string `ch:"models"`
}

// sessionUsageRow is what a session used.
type sessionUsageRow struct {
	ID string `ch:"session_id"`
	sumsRow
}

// sessionSummary is a session with the rows that it was made from.
type sessionSummary struct {
	Session
	streams *sessionStreamsRow
	spans   *sessionSpansRow
}

// summaries gives all that the list shows of the sessions, by id, but for their ends
// (see setEnds). Sessions that are not there are left out.
func (r *Reader) summaries(ctx context.Context, tenant string, ids []sessionID) (map[string]*sessionSummary, error) {
	sessions := make(map[string]*sessionSummary, len(ids))
	if len(ids) == 0 {
		return sessions, nil
	}
	oldest := ids[0].OldestStream
	for i := range ids {
		oldest = min(oldest, ids[i].OldestStream)
	}
	a := inSessions(tenant, ids)
	now := r.now().UnixNano()
	streams, err := ask[sessionStreamsRow](ctx, r, "session_streams", sessionStreamsShape{Since: oldest > 0},
		a.with("oldest_stream", oldest).and(r.liveness(now)))
	if err != nil {
		return nil, err
	}
	spans, err := ask[sessionSpansRow](ctx, r, "session_spans", nil, a)
	if err != nil {
		return nil, err
	}
	spansOf := make(map[string]*sessionSpansRow, len(spans))
	for i := range spans {
		spansOf[spans[i].ID] = &spans[i]
	}
	for i := range streams {
		row := &streams[i]
		found := spansOf[row.ID]
		if found == nil {
			found = &sessionSpansRow{}
		}
		sessions[row.ID] = &sessionSummary{*r.summary(row, found, now), row, found}
	}
	spent, err := r.spent(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	for id, s := range sessions {
		s.Spent = spent[id]
	}
	return sessions, nil
}

// spent gives what the sessions used, by id; those that used nothing are left out.
// It asks only if that was not looked up before.
func (r *Reader) spent(ctx context.Context, tenant string, ids []sessionID) (map[string]Spent, error) {
	spent := make(map[string]Spent, len(ids))
	if ids[0].spent != nil { // then of all of them
		for i := range ids {
			spent[ids[i].ID] = *ids[i].spent
		}
		return spent, nil
	}
	usage, err := ask[sessionUsageRow](ctx, r, "session_usage", nil, inSessions(tenant, ids))
	if err != nil {
		return nil, err
	}
	for i := range usage {
		spent[usage[i].ID] = usage[i].spent()
	}
	return spent, nil
}

// inSessions are the parameters for the facts of some sessions, at least of one.
func inSessions(tenant string, ids []sessionID) args {
	names := make([]string, len(ids))
	first, last := ids[0].Started, ids[0].Last
	for i := range ids {
		names[i] = ids[i].ID
		first, last = min(first, ids[i].Started), max(last, ids[i].Last)
	}
	return args{"tenant": tenant, "sessions": names}.within(first, last)
}

func (r *Reader) summary(streams *sessionStreamsRow, spans *sessionSpansRow, now int64) *Session {
	state := sessionState{
		live: streams.LiveStreams > 0, lost: streams.LostStreams > 0, silent: since(now, streams.Last), cut: streams.Cut,
		runs: spans.Runs, openRuns: spans.OpenRuns, unclosedRuns: spans.UnclosedRuns,
		failedRuns: spans.FailedRuns, cancelledRuns: spans.CancelledRuns, lastRun: schema.Status(spans.LastRun),
	}
	status := state.status(r.quietAfter)
	until := streams.End
	if status.Open() {
		until = streams.Last
	}
	s := &Session{Runs: spans.Runs, Streams: streams.Streams}
	s.SessionHead = SessionHead{
		ID: streams.ID, Started: moment(streams.Started), LastAt: moment(streams.Last),
		DurationMS: millis(until - streams.Started), Status: status,
		Title: streams.Title, Frames: streams.Frames, Bytes: streams.Bytes,
		Tools:    ToolCounts{Calls: spans.ToolCalls, Errors: spans.ToolErrors},
		Dialects: streams.Dialects, Agents: orEmpty(spans.Agents), Models: orEmpty(spans.Models),
		Tags: map[string]string{},
	}
	if !s.Status.Open() {
		s.Ended = known(until)
	}
	s.RunningMS = knownMillis(int64(since(now, streams.Started)), s.Status.Open())
	s.SilentMS = knownMillis(int64(since(now, streams.Last)), s.Status.Open() || s.Status == Lost)
	for i, key := range streams.TagKeys {
		s.Tags[key] = streams.TagValues[i]
	}
	return s
}

// orEmpty is the list, empty instead of nil: "[]" in JSON.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// within adds the days (UTC) on which facts of what happened between the two
// times were first told. A day to spare on both sides costs nothing that shows.
func (a args) within(first, last int64) args {
	const spare = 24 * 3600 * 1e9
	return a.with("first_day", day(first-spare)).with("last_day", day(last+spare))
}
