package sessionhead_test

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/schema"
)

// The end of a session: when, of what, and in which span.
func TestSessionEnd(t *testing.T) {
	db := querytest.Open(t)
	tool := func(id, name string, status schema.Status, from, to float64) schema.Span {
		s := schema.Span{Fact: schema.Fact{ID: id, SeenSeq: 7}, Kind: schema.SpanTool, Name: name, Status: status, Started: querytest.AtSecond(from)}
		if to > 0 {
			s.Ended = querytest.AtSecond(to)
		}
		return s
	}
	failing := func(why string) schema.Span {
		r := querytest.Run("r", schema.StatusError, 0, 10)
		r.Error, r.Name = why, "main"
		return r
	}
	cancelled := querytest.Run("r", schema.StatusCancelled, 0, 10)
	cancelled.Name = "main"
	ends := func(at int64, reason string) schema.StreamState {
		return schema.StreamState{Ended: at, EndReason: reason}
	}
	psql := &sessionhead.SpanRef{ID: "t", Kind: "tool", Name: "psql"}
	mainRun := &sessionhead.SpanRef{ID: "r", Kind: "run", Name: "main"}
	unclosed := []schema.Span{
		querytest.Run("r", schema.StatusUnclosed, 0, 12), tool("t0", "cut before", schema.StatusUnclosed, 1, 2), tool("t", "psql", schema.StatusUnclosed, 3, 12),
	}
	for name, tc := range map[string]struct {
		rec  querytest.Recording
		want *sessionhead.End
	}{
		"open": {querytest.Recording{Live: true, State: schema.StreamState{Recorder: "alive"}}, nil},
		"at its end": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "eof"), Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 0, 10)}},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndEOF, Detail: "the source came to its end"},
		},
		"exit 137": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: exit status 137"), Spans: unclosed},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndExit, Detail: "the recorded command exited with 137", Span: psql},
		},
		"killed": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: signal: segmentation fault (core dumped)"), Spans: unclosed},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndSignal, Detail: "the recorded command was ended by a signal: segmentation fault", Span: psql},
		},
		"cut": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: the connection was cut: EOF"), Spans: unclosed},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndCut, Detail: "the connection was cut: EOF", Span: psql},
		},
		"a client that went away": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: the client went away"), Spans: unclosed},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndCut, Detail: "the client went away", Span: psql},
		},
		"closed with a code": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: closed with 1011 oops")},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndClosed, Detail: "the connection was closed with 1011 oops"},
		},
		"a server that was shut down": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: the server was shut down")},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndShutdown, Detail: "the server was shut down"},
		},
		"another error": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "error: read: input/output error")},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndError, Detail: "read: input/output error"},
		},
		"closed while a tool ran": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "closed"), Spans: unclosed},
			&sessionhead.End{At: querytest.When(12), Reason: sessionhead.EndClosed, Detail: "the recording was closed", Span: psql},
		},
		"a run failed with its last tool": {
			querytest.Recording{Spans: []schema.Span{failing("disk full"), tool("t", "psql", schema.StatusError, 8, 9)}},
			&sessionhead.End{At: querytest.When(10), Reason: sessionhead.EndError, Detail: "the run failed: disk full", Span: psql},
		},
		"a run failed after its tools": {
			querytest.Recording{Spans: []schema.Span{
				failing(""), tool("t", "psql", schema.StatusError, 2, 3), tool("t2", "ls", schema.StatusOK, 8, 9),
			}},
			&sessionhead.End{At: querytest.When(10), Reason: sessionhead.EndError, Detail: "the run failed", Span: mainRun},
		},
		"cancelled": {
			querytest.Recording{State: ends(querytest.AtSecond(12), "closed"), Spans: []schema.Span{cancelled}},
			&sessionhead.End{At: querytest.When(10), Reason: sessionhead.EndCancelled, Detail: "the run was cancelled", Span: mainRun},
		},
		"left": {
			querytest.Recording{State: ends(querytest.AtSecond(10), "left"), Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 0, 10)}},
			&sessionhead.End{At: querytest.When(10), Reason: sessionhead.EndDone, Detail: "its last run ended"},
		},
		"its stream still open": {
			querytest.Recording{Live: true, State: schema.StreamState{Recorder: "alive"}, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, -50, -40)}},
			&sessionhead.End{At: querytest.When(-40), Reason: sessionhead.EndDone, Detail: "its last run ended"},
		},
		"lost": {
			querytest.Recording{Live: true, State: schema.StreamState{Recorder: "gone"}, Spans: []schema.Span{
				querytest.Run("r", schema.StatusOpen, -60, 0), tool("t", "psql", schema.StatusOpen, -50, 0),
			}},
			&sessionhead.End{At: querytest.When(-50), Reason: sessionhead.EndLost, Detail: "its recorder is gone", Span: psql},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.rec.Tenant, tc.rec.Session = fmt.Sprintf("%s-%x", db.Tenant, name), "s"
			db.Add(tc.rec)
			r := querytest.Reader(db, 20, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
			got := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, tc.rec.Tenant, "s"))
			if tc.want != nil {
				tc.want.OffsetMS = float64(tc.want.At.Sub(got.Started).Milliseconds())
			}
			querytest.Equal(t, "end", tc.want, got.End)
			list := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: tc.rec.Tenant, Limit: 10}))
			querytest.Equal(t, "end in the list", tc.want, list.Items[0].End)
		})
	}
}

// What is in progress in a session, in the list and on its own: the tool call that is open, until the
// session is over.
func TestOpenSpan(t *testing.T) {
	db := querytest.Open(t)
	open := func(id string, kind schema.SpanKind, name string, from float64) schema.Span {
		return querytest.Span(kind, id, "r", name, schema.StatusOpen, from, 0)
	}
	ended := querytest.Tool("t0", "ls", schema.StatusOK, 1, 2)
	db.Add(
		querytest.Recording{
			Session: "hung", Stream: 1, Live: true, State: schema.StreamState{Recorder: "alive"},
			Spans: []schema.Span{
				querytest.Run("r", schema.StatusOpen, 0, 0), ended,
				open("t", schema.SpanTool, "psql", 3), open("l", schema.SpanLLM, "think", 4),
			},
		},
		querytest.Recording{
			Session: "between", Stream: 2, Live: true, State: schema.StreamState{Recorder: "alive"},
			Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 0, 2), ended},
		},
		querytest.Recording{
			Session: "lost", Stream: 3, Live: true, State: schema.StreamState{Recorder: "gone"},
			Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, -60, 0), open("t", schema.SpanTool, "psql", -50)},
		},
	)
	want := map[string]*sessionhead.SpanRef{
		"hung": {ID: "t", Kind: "tool", Name: "psql"}, "between": nil, "lost": nil,
	}
	r := querytest.Reader(db, 20, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
	list := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Limit: 10}))
	got := map[string]*sessionhead.SpanRef{}
	for _, s := range list.Items {
		got[s.ID] = s.OpenSpan
		one := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, s.ID))
		querytest.Equal(t, s.ID+" on its own", want[s.ID], one.OpenSpan)
	}
	querytest.Equal(t, "in the list", want, got)
}
