package alerting_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

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

// observing is a database that counts the observations of all sessions. From one on, 0 for none, they never end.
type observing struct {
	driver.Conn
	asked    atomic.Int64
	holdFrom int64
}

func (c *observing) Select(ctx context.Context, rows any, text string, args ...any) error {
	if strings.Contains(text, "SELECT DISTINCT tenant AS name") {
		if n := c.asked.Add(1); c.holdFrom > 0 && n >= c.holdFrom {
			<-ctx.Done()
			return ctx.Err()
		}
	}
	return c.Conn.Select(ctx, rows, text, args...)
}

// whole waits until an observation that begins after the call has been evaluated.
func (c *observing) whole(t *testing.T) {
	t.Helper()
	before := c.asked.Load()
	bounded.Until(t, "the rules are evaluated for all sessions", func() bool { return c.asked.Load() > before+1 })
}

// An alert begins and ends while all sessions are being read, however long that takes.
func TestBesideObservation(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	conn := &observing{Conn: db.Conn, holdFrom: 2}
	var second atomic.Int64
	second.Store(50)
	r := query.NewReader(conn, query.WithClock(func() time.Time { return querytest.When(float64(second.Load())) }))
	start(t, alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond})
	bounded.Until(t, "all sessions are read a second time", func() bool { return conn.asked.Load() > 1 })
	if got := listed(t, r, db.Tenant); len(got) > 0 {
		t.Fatalf("before its time: %+v", got[0])
	}
	second.Store(80)
	bounded.Until(t, "the alert begins", func() bool { return len(listed(t, r, db.Tenant)) == 1 })
	ended := recording(false, 90)
	ended.State.Version = 90
	db.Add(ended)
	bounded.Until(t, "the alert ends", func() bool { return listed(t, r, db.Tenant)[0].Ended != nil })
}
