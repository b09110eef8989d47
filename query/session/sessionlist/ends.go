package sessionlist

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// sessionEndRow is what the spans say of how a session ended; ids are "" for what there
// is none of.
type sessionEndRow struct {
	ID             string `ch:"session_id"`
	FailedID       string `ch:"failed_id"` // the last run that failed
	FailedName     string `ch:"failed_name"`
	FailedBegin    int64  `ch:"failed_begin_ns"`
	FailedEnded    int64  `ch:"failed_ended_ns"`
	FailedError    string `ch:"failed_error"`
	CancelledID    string `ch:"cancelled_id"` // the last run that was cancelled
	CancelledName  string `ch:"cancelled_name"`
	CancelledEnded int64  `ch:"cancelled_ended_ns"`
	CallID         string `ch:"call_id"` // the call that ended last in the run that failed
	CallKind       string `ch:"call_kind"`
	CallName       string `ch:"call_name"`
	CallStatus     string `ch:"call_status"`
	CallError      string `ch:"call_error"`
	CallEnded      int64  `ch:"call_ended_ns"`
	CallBegin      int64  `ch:"call_begin_ns"`
	OpenID         string `ch:"open_id"` // what was open at the end
	OpenKind       string `ch:"open_kind"`
	OpenName       string `ch:"open_name"`
	OpenStatus     string `ch:"open_status"`
}

// spans returns the spans of the row, for sessionEnd.
func (row *sessionEndRow) spans() []spanmerge.Span {
	run := string(schema.SpanRun)
	all := []spanmerge.Span{
		{
			ID: row.FailedID, Kind: run, Name: row.FailedName, Status: string(schema.StatusError),
			Started: row.FailedBegin, Ended: row.FailedEnded, Error: row.FailedError,
		},
		{ID: row.CancelledID, Kind: run, Name: row.CancelledName, Status: string(schema.StatusCancelled), Ended: row.CancelledEnded},
		{
			ID: row.CallID, Kind: row.CallKind, Name: row.CallName, Status: row.CallStatus, Error: row.CallError,
			Started: row.CallBegin, Ended: row.CallEnded,
		},
		{ID: row.OpenID, Kind: row.OpenKind, Name: row.OpenName, Status: row.OpenStatus},
	}
	var list []spanmerge.Span
	for _, s := range all {
		if s.ID != "" {
			list = append(list, s)
		}
	}
	return list
}

// setEnds sets the ends of sessions. It looks for spans once for all of them, and only
// of those whose end depends on them and is not settled.
func setEnds(ctx context.Context, r *query.Reader, tenant string, sessions []*summary) error {
	var ids []sessionID
	var last []int64
	of := make(map[string]*sessionEndRow, len(sessions))
	for _, s := range sessions {
		if s.Status.Open() || s.spans.FailedRuns+s.spans.CancelledRuns+s.spans.UnclosedSpans+s.spans.OpenSpans == 0 {
			continue
		}
		if s.ends != nil {
			of[s.ID] = s.ends
			continue
		}
		ids = append(ids, sessionID{ID: s.ID, Started: s.streams.Started, Last: s.streams.Last})
		last = append(last, s.streams.Last)
	}
	if len(ids) > 0 {
		rows, err := query.Ask[sessionEndRow](ctx, r, statements, "session_ends", nil, inSessions(tenant, ids).With("last", last))
		if err != nil {
			return err
		}
		for i := range rows {
			of[rows[i].ID] = &rows[i]
		}
	}
	for _, s := range sessions {
		var spans []spanmerge.Span
		if row := of[s.ID]; row != nil {
			spans = row.spans()
		}
		s.End = sessionhead.NewEnd(&s.Head, s.streams, s.spans.Runs, spans)
	}
	return nil
}
