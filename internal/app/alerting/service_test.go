package alerting_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

var rules = []rule.Rule{{Name: "silence", Kind: rule.Silence, After: 60 * time.Second, PerHour: 60}}

// start evaluates the rules until the test or stop ends it.
func start(t *testing.T, o alerting.Options) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		alerting.New(o).Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func listed(t *testing.T, r *query.Reader, tenant string) []*evaluate.Alert {
	t.Helper()
	page, err := alerts.List(t.Context(), r, alerts.Query{Tenant: tenant, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

func recording(live bool, last float64) querytest.Recording {
	r := querytest.Recording{Session: "s", Stream: 1, Live: live, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}}
	r.State.FirstAt, r.State.LastAt = querytest.AtSecond(0), querytest.AtSecond(last)
	return r
}

// An alert begins once, goes on when another server evaluates the rules, and ends with the session.
func TestEpisode(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	o := alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond}
	stop := start(t, o)
	begun := func() bool { return len(listed(t, r, db.Tenant)) == 1 }
	bounded.Until(t, "the alert begins", begun)
	first := listed(t, r, db.Tenant)[0]
	if first.Rule != "silence" || first.Session != "s" || !first.Began.Equal(querytest.When(65)) || first.Ended != nil ||
		!strings.Contains(first.Detail, "no frame for more than 1m0s") {
		t.Errorf("%+v", first)
	}
	stop()
	start(t, o)
	ended := recording(false, 90)
	ended.State.Version = 100
	db.Add(ended)
	bounded.Until(t, "the alert ends", func() bool {
		list := listed(t, r, db.Tenant)
		return len(list) == 1 && list[0].Ended != nil
	})
	if last := listed(t, r, db.Tenant)[0]; last.ID != first.ID || !last.Ended.Equal(querytest.When(80)) {
		t.Errorf("%+v, begun as %+v", last, first)
	}
}

// What is not stored yet is not silence: the rules are evaluated for the time until which all is stored.
func TestLag(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	evaluated := make(chan struct{}, 1)
	lag := func(context.Context) (time.Duration, error) {
		select {
		case evaluated <- struct{}{}:
		default:
		}
		return 20 * time.Second, nil
	}
	start(t, alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Lag: lag})
	for range 3 { // the third begins after the second has ended
		bounded.Receive(t, evaluated)
	}
	if list := listed(t, r, db.Tenant); len(list) > 0 {
		t.Errorf("an alert began: %+v", list[0])
	}
}

// An evaluation that fails ends no alert, and is repeated.
func TestFailure(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	calls := 0
	lag := func(context.Context) (time.Duration, error) {
		if calls++; calls == 1 {
			return 0, errors.New("NATS is away")
		}
		return 0, nil
	}
	start(t, alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Lag: lag})
	bounded.Until(t, "the alert begins", func() bool { return len(listed(t, r, db.Tenant)) == 1 })
}

// A rule begins a bounded number of alerts.
func TestPerHour(t *testing.T) {
	db, nc := querytest.New(t), localtest.NATS(t)
	for i := range 4 {
		s := recording(true, 5)
		s.Session, s.Stream = fmt.Sprint("s", i), i+1
		db.Add(s)
	}
	few := []rule.Rule{rules[0]}
	few[0].PerHour = 2
	r := querytest.Reader(db, 80)
	evaluated := make(chan struct{}, 1)
	lag := func(context.Context) (time.Duration, error) {
		select {
		case evaluated <- struct{}{}:
		default:
		}
		return 0, nil
	}
	start(t, alerting.Options{Rules: few, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Lag: lag})
	for range 4 {
		bounded.Receive(t, evaluated)
	}
	if list := listed(t, r, db.Tenant); len(list) != 2 {
		t.Errorf("%d alerts began, want 2", len(list))
	}
}
