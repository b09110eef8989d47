package alerting_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/alerting/webhook"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
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
	metrictest.Grow(t, "tapedeck_alerts_begun_total", "tapedeck_alerts_evaluations_total")
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	o := alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond}
	stop := start(t, o)
	begun := func() bool { return len(listed(t, r, db.Tenant)) == 1 }
	bounded.Until(t, "the alert begins", begun)
	metrictest.Show(t, "tapedeck_alerts_open", "tapedeck_alerts_evaluation_seconds", "tapedeck_alerts_last_evaluation_timestamp_seconds")
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

// A webhook receives the begin of an alert, and the end, each once although another server takes over; what it has not
// taken is sent again by the next server.
func TestWebhook(t *testing.T) {
	metrictest.Grow(t, "tapedeck_alerts_sent_total")
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	received := make(chan string, 10)
	var refuse atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header.Get("Tapedeck-Event-Id")
		if refuse.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	options := func() alerting.Options {
		to, err := webhook.New(webhook.Options{URL: s.URL, Secret: "key", Inward: true})
		if err != nil {
			t.Fatal(err)
		}
		return alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Targets: []notify.Target{to}}
	}
	stop := start(t, options())
	began := bounded.Receive(t, received)
	alert := listed(t, r, db.Tenant)[0]
	if began != alert.ID+":alert.began" {
		t.Errorf("%s was received, the alert is %s", began, alert.ID)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "what was taken is remembered", func() bool {
		kv, err := js.KeyValue(t.Context(), "TAPEDECK_ALERTS_SENT")
		if err != nil {
			return false
		}
		keys, err := kv.Keys(t.Context())
		return err == nil && len(keys) == 1
	})
	refuse.Store(true)
	ended := recording(false, 90)
	ended.State.Version = 100
	db.Add(ended)
	if end := bounded.Receive(t, received); end != alert.ID+":alert.ended" {
		t.Errorf("%s was received after the end", end)
	}
	stop()
	for len(received) > 0 { // further attempts of the first server
		if id := <-received; id != alert.ID+":alert.ended" {
			t.Errorf("%s was received again", id)
		}
	}
	refuse.Store(false)
	start(t, options())
	if end := bounded.Receive(t, received); end != alert.ID+":alert.ended" {
		t.Errorf("the next server sent %s", end)
	}
}

// Nothing is written about a session that was deleted while its alert was open.
func TestDeleted(t *testing.T) {
	fulltest.Long(t)
	db, nc := querytest.New(t), localtest.NATS(t)
	db.Add(recording(true, 5))
	r := querytest.Reader(db, 80)
	evaluated := make(chan struct{}, 1)
	lag := func(context.Context) (time.Duration, error) {
		select {
		case evaluated <- struct{}{}:
		default:
		}
		return 0, nil
	}
	start(t, alerting.Options{Rules: rules, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Lag: lag})
	bounded.Until(t, "the alert begins", func() bool { return len(listed(t, r, db.Tenant)) == 1 })
	open, err := alerts.ReadOpen(t.Context(), r)
	if err != nil || len(open) != 1 {
		t.Fatalf("%d alerts are open, %v", len(open), err)
	}
	db.Exec("TRUNCATE TABLE alerts")
	ended := recording(false, 90)
	ended.State.Version = 100
	db.Add(ended)
	for range 4 { // of which two begin after the end, and the first of them has ended
		bounded.Receive(t, evaluated)
	}
	if list := listed(t, r, db.Tenant); len(list) > 0 {
		t.Errorf("an alert was written: %+v", list[0])
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

// A rule begins a bounded number of alerts in an hour, although evaluations fail and another server takes over.
func TestPerHour(t *testing.T) {
	fulltest.Long(t)
	metrictest.Grow(t, "tapedeck_alerts_refused_total")
	db, nc := querytest.New(t), localtest.NATS(t)
	for i := range 4 {
		s := recording(true, 5)
		s.Session, s.Stream = fmt.Sprint("s", i), i+1
		db.Add(s)
	}
	few := []rule.Rule{rules[0]}
	few[0].PerHour = 2
	conn := &observing{Conn: db.Conn}
	r := query.NewReader(conn, query.WithClock(func() time.Time { return querytest.When(80) }))
	var fail atomic.Bool
	lag := func(context.Context) (time.Duration, error) {
		if fail.Swap(false) {
			return 0, errors.New("NATS is away")
		}
		return 0, nil
	}
	o := alerting.Options{Rules: few, NATS: nc, Reader: r, Every: 10 * time.Millisecond, Lag: lag}
	rounds := func(after string) {
		t.Helper()
		conn.whole(t)
		if list := listed(t, r, db.Tenant); len(list) != 2 {
			t.Errorf("after %s %d alerts began, want 2", after, len(list))
		}
	}
	stop := start(t, o)
	rounds("the first evaluations")
	fail.Store(true)
	bounded.Until(t, "an evaluation fails", func() bool { return !fail.Load() })
	rounds("a failure")
	stop()
	start(t, o)
	rounds("another server took over")
}
