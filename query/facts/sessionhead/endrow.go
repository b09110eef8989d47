package sessionhead

import (
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// EndRow holds the spans that determine how a session ended. The id of a missing span is "".
type EndRow struct {
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
	OpenID         string `ch:"open_id"` // the span that was open at the end
	OpenKind       string `ch:"open_kind"`
	OpenName       string `ch:"open_name"`
	OpenStatus     string `ch:"open_status"`
}

// Spans returns the spans of the row, for NewEnd.
func (row *EndRow) Spans() []spanmerge.Span {
	run := string(schema.SpanRun)
	all := []spanmerge.Span{
		{
			ID: row.FailedID, Kind: run, Name: row.FailedName, Status: string(schema.StatusError),
			Started: row.FailedBegin, Ended: row.FailedEnded, Error: row.FailedError,
		},
		{ID: row.CancelledID, Kind: run, Name: row.CancelledName, Status: string(schema.StatusCancelled),
			Ended: row.CancelledEnded},
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
