package alerting_test

import (
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/query"
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
	db.Add(quiet("hangs", 1, true, 5), quiet("works", 2, true, 5))
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
	bounded.Until(t, "an alert begins", func() bool { return len(listed(t, r, db.Tenant)) > 0 })
	if list := listed(t, r, db.Tenant); len(list) != 1 || list[0].Session != "hangs" || !list[0].Began.Equal(querytest.When(65)) || list[0].Ended != nil {
		t.Errorf("%+v", list)
	}
	db.Add(quiet("hangs", 1, false, 90))
	bounded.Until(t, "the alert ends", func() bool { return listed(t, r, db.Tenant)[0].Ended != nil })
	if list := listed(t, r, db.Tenant); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}
