package alerting_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// The alert of a call that hangs goes on when a call that hung beside it ends: its 1,000 s raise the p99 of the tool to
// 800.2 s, by which a call is unusual after 2,400.6 s only.
func TestHanging(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	earlier := querytest.Recording{Session: "earlier", Stream: 1}
	for i := range 20 {
		earlier.Spans = append(earlier.Spans, querytest.Tool(fmt.Sprint("short", i), "bash", schema.StatusOK, float64(i), float64(i+1)))
	}
	works := func(version uint64, long schema.Span) querytest.Recording {
		long.Version = version
		r := querytest.Recording{Session: "works", Stream: 2, Live: true, Spans: []schema.Span{long, querytest.Tool("endless", "bash", schema.StatusOpen, 0, 0)}}
		r.State.Version = version
		return r
	}
	db.Add(earlier, works(1, querytest.Tool("long", "bash", schema.StatusOpen, 0, 0)))
	var second, looks atomic.Int64
	second.Store(100)
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time {
		looks.Add(1)
		return querytest.When(float64(second.Load()))
	}))
	tool := rule.Rule{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: time.Minute, PerHour: 60}
	start(t, alerting.Options{Rules: []rule.Rule{tool}, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Share: 1})
	of := func() map[string]*evaluate.Alert {
		all := map[string]*evaluate.Alert{}
		for _, a := range listed(t, r, db.Tenant) {
			all[*a.SpanID] = a
		}
		return all
	}
	bounded.Until(t, "both alerts begin", func() bool { return len(of()) == 2 })
	second.Store(1010)
	db.Add(works(2, querytest.Tool("long", "bash", schema.StatusOK, 0, 1000)))
	bounded.Until(t, "the alert of the call that ended ends", func() bool { return of()["long"].Ended != nil })
	seen := looks.Load()
	bounded.Until(t, "the rules are evaluated again", func() bool { return looks.Load() > seen+20 })
	if a := of()["endless"]; a.Ended != nil || !a.Began.Equal(querytest.When(60)) {
		t.Errorf("%+v", a)
	}
}
