package alerting_test

import (
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Between two evaluations for all sessions an alert begins when its time has come, unless a frame was stored meanwhile,
// and ends with its session.
func TestBetween(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	quiet := func(session string, stream int, live bool, last float64) querytest.Recording {
		r := querytest.Recording{Session: session, Stream: stream, Live: live, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}}
		r.State.FirstAt, r.State.LastAt, r.State.Version = querytest.AtSecond(0), querytest.AtSecond(last), uint64(last)
		return r
	}
	stopped, answered := quiet("stopped", 3, true, 5), quiet("answered", 4, true, 5)
	model := querytest.Span(schema.SpanLLM, "m", "r", "opus", schema.StatusOK, 1, 3)
	stopped.Spans = append(stopped.Spans, model, querytest.Tool("t", "bash", schema.StatusOK, 3, 4)) // no model call follows
	answered.Spans = append(answered.Spans, querytest.Tool("t", "bash", schema.StatusOK, 1, 2), model)
	db.Add(quiet("hangs", 1, true, 5), quiet("works", 2, true, 5), stopped, answered)
	var second, looks atomic.Int64
	second.Store(50)
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time {
		looks.Add(1)
		return querytest.When(float64(second.Load()))
	}))
	// The first evaluation is for all sessions, and no other one within the test.
	start(t, alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Share: 1e6})
	bounded.Until(t, "the sessions are known", func() bool { return looks.Load() > 10 })
	db.Add(quiet("works", 2, true, 60))
	second.Store(80)
	bounded.Until(t, "the alerts begin", func() bool { return len(listed(t, r, db.Tenant)) > 1 })
	of := func() map[string]*evaluate.Alert {
		all := map[string]*evaluate.Alert{}
		for _, a := range listed(t, r, db.Tenant) {
			all[a.Session] = a
		}
		return all
	}
	for session, a := range of() {
		if session != "hangs" && session != "stopped" || !a.Began.Equal(querytest.When(65)) || a.Ended != nil {
			t.Errorf("%+v", a)
		}
	}
	db.Add(quiet("hangs", 1, false, 90))
	bounded.Until(t, "the alert ends", func() bool { return of()["hangs"].Ended != nil })
	if all := of(); len(all) != 2 || all["stopped"].Ended != nil {
		t.Errorf("%+v", all)
	}
}
