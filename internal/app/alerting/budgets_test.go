package alerting_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/app/alerting"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// world is a server that evaluates budgets, on a clock that the test sets.
type world struct {
	t      *testing.T
	db     *querytest.DB
	reader *query.Reader
	clock  atomic.Int64 // ns
	rounds chan struct{}
	opts   alerting.Options
	stop   func()
	n      int // streams
}

// newWorld returns a world whose recordings begin on 2026-03-02 at 10:00 UTC.
func newWorld(t *testing.T, seconds float64, rules ...rule.Rule) *world {
	t.Helper()
	w := &world{t: t, db: querytest.New(t), rounds: make(chan struct{})}
	w.at(seconds)
	w.reader = query.NewReader(w.db.Conn, query.WithClock(func() time.Time { return time.Unix(0, w.clock.Load()) }))
	w.opts = alerting.Options{Rules: rules, NATS: localtest.NATS(t), Reader: w.reader, Every: time.Hour, BudgetsEvery: 10 * time.Millisecond, Share: 1,
		Lag: func(ctx context.Context) (time.Duration, error) {
			select {
			case w.rounds <- struct{}{}:
			case <-ctx.Done():
			default:
			}
			return 0, nil
		}}
	w.stop = start(t, w.opts)
	return w
}

func (w *world) at(seconds float64) { w.clock.Store(querytest.AtSecond(seconds)) }

// use records a session that used tokens at a second, and has ended.
func (w *world) use(session, customer string, seconds float64, tokens uint64) {
	w.n++
	r := querytest.Recording{Session: session, Stream: w.n,
		Usages: []schema.Usage{querytest.Used(fmt.Sprint("u", w.n), "gpt-5", seconds, schema.Tokens{Input: tokens})}}
	if customer != "" {
		r.State.Tags = map[string]string{"customer": customer}
	}
	w.db.Add(r)
}

// evaluated waits until the budgets were evaluated as the data is now.
func (w *world) evaluated() {
	w.t.Helper()
	for range 3 { // the second begins after this, and has ended when the third begins
		bounded.Receive(w.t, w.rounds)
	}
}

// restart has another server evaluate the rules.
func (w *world) restart() {
	w.stop()
	w.stop = start(w.t, w.opts)
}

// alerts returns the alerts as "RULE VALUE PERIOD SESSION BEGAN-ENDED", the first first.
func (w *world) alerts() string {
	w.t.Helper()
	var lines []string
	for _, a := range listed(w.t, w.reader, w.db.Tenant) {
		line := fmt.Sprintf("%s %s %s %s %s-", a.Rule, query.Text(a.Value), query.Text(a.Period), a.Session, a.Began.Format("02T15:04:05"))
		if a.Ended != nil {
			line += a.Ended.Format("02T15:04:05")
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

func (w *world) want(what string, lines ...string) {
	w.t.Helper()
	if got := w.alerts(); got != strings.Join(lines, "\n") {
		w.t.Errorf("%s:\n%s\nwant\n%s", what, got, strings.Join(lines, "\n"))
	}
}

var perCustomer = rule.Rule{Name: "dear", Kind: rule.Budget, Per: "tag:customer", Period: rule.Day, Zone: "UTC", Tokens: 1000, PerHour: 60}

// A tag value whose sessions of a day together exceed the budget has one alert, until the day ends: whatever sessions
// follow, when another server takes over, and although none evaluates the rules at midnight.
func TestBudgetPerTag(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t, 120, perCustomer)
	w.use("a", "acme", 0, 600)
	w.use("b", "acme", 60, 400)
	w.use("c", "other", 60, 999)
	w.use("d", "", 60, 5000)
	w.evaluated()
	w.want("within the budget")
	w.use("e", "acme", 90, 1)
	const open = "dear acme 2026-03-02 e 02T10:02:00-"
	bounded.Until(t, "the alert begins", func() bool { return w.alerts() == open })
	if a := listed(t, w.reader, w.db.Tenant)[0]; *a.Per != "tag:customer" || a.Kind != rule.Budget || a.Stream != querytest.StreamID(5) ||
		a.Detail != `customer "acme" used 1001 tokens in 2026-03-02 (UTC), more than 1000` {
		t.Errorf("%+v", a)
	}
	w.at(600)
	w.use("f", "acme", 500, 7000)
	w.evaluated()
	w.want("more use", open)
	w.restart()
	w.evaluated()
	w.want("another server", open)
	w.stop()
	w.at(15 * 3600) // an hour after midnight
	w.use("g", "acme", 14.5*3600, 1000)
	w.restart()
	const over = open + "03T00:00:00"
	bounded.Until(t, "the alert ends", func() bool { return w.alerts() == over })
	w.evaluated()
	w.want("the next day", over)
	w.use("h", "acme", 14.6*3600, 1)
	bounded.Until(t, "the next day has its alert", func() bool { return w.alerts() == over+"\ndear acme 2026-03-03 h 03T01:00:00-" })
}

// Usage of the last moments of a day counts although it is stored after midnight.
func TestBudgetLastMinute(t *testing.T) {
	metrictest.Grow(t, "tapedeck_alerts_budget_evaluations_total")
	const midnight = 14 * 3600
	w := newWorld(t, midnight-10, perCustomer)
	w.use("a", "acme", midnight-60, 1000)
	w.evaluated()
	w.at(midnight + 5)
	w.evaluated()
	w.use("b", "acme", midnight-1, 1)
	bounded.Until(t, "the alert begins", func() bool { return w.alerts() == "dear acme 2026-03-02 b 02T23:59:59-" })
	metrictest.Show(t, "tapedeck_alerts_budget_evaluation_seconds")
	w.at(midnight + 61)
	bounded.Until(t, "the alert ends", func() bool { return w.alerts() == "dear acme 2026-03-02 b 02T23:59:59-03T00:00:00" })
}

// A tenant whose use of the month is expected to exceed its budget has one alert, also when it exceeds it.
func TestBudgetForecast(t *testing.T) {
	fulltest.Long(t)
	forecast := rule.Rule{Name: "forecast", Kind: rule.Budget, Per: rule.PerTenant, Period: rule.Month, Zone: "UTC", Tokens: 3100, Forecast: true, PerHour: 60}
	month := forecast
	month.Name, month.Forecast = "month", false
	w := newWorld(t, 60, forecast, month) // on 2 March at 10:01, after 34 hours of 744
	w.use("a", "", 0, 140)                // 3062 by the end
	w.evaluated()
	w.want("a rate within the budget")
	w.use("b", "", 30, 10)
	first := fmt.Sprintf("forecast %s 2026-03 b 02T10:01:00-", w.db.Tenant)
	bounded.Until(t, "the alert begins", func() bool { return w.alerts() == first })
	w.at(14 * 3600)
	w.evaluated()
	w.use("c", "", 13*3600, 3000)
	second := fmt.Sprintf("month %s 2026-03 c 03T00:00:00-", w.db.Tenant)
	bounded.Until(t, "the budget is exceeded", func() bool { return w.alerts() == first+"\n"+second })
}

// When the session of an alert is deleted, so is the alert: it begins again with another session and the same id, if the
// budget is exceeded without it.
func TestBudgetDeleted(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t, 120, perCustomer)
	w.use("a", "acme", 0, 2000)
	w.use("b", "acme", 60, 100)
	bounded.Until(t, "the alert begins", func() bool { return w.alerts() == "dear acme 2026-03-02 b 02T10:02:00-" })
	id := listed(t, w.reader, w.db.Tenant)[0].ID
	remove := func(session string) {
		t.Helper()
		if _, err := tombstone.NewStore(w.db.Conn).Put(t.Context(), tombstone.Key{Tenant: w.db.Tenant, Session: session}); err != nil {
			t.Fatal(err)
		}
	}
	remove("b")
	bounded.Until(t, "it begins again", func() bool { return w.alerts() == "dear acme 2026-03-02 a 02T10:02:00-" })
	if again := listed(t, w.reader, w.db.Tenant)[0].ID; again != id {
		t.Errorf("its id is %s, was %s", again, id)
	}
	remove("a")
	w.evaluated()
	w.want("without a session")
}

// A budget begins a bounded number of alerts in an hour, and those of other rules are not delayed.
func TestBudgetPerHour(t *testing.T) {
	fulltest.Long(t)
	few := perCustomer
	few.PerHour = 2
	other := rule.Rule{Name: "all", Kind: rule.Budget, Per: rule.PerTenant, Period: rule.Day, Zone: "UTC", Tokens: 1, PerHour: 60}
	w := newWorld(t, 120, few, other)
	for i := range 5 {
		w.use(fmt.Sprint("s", i), fmt.Sprint("customer-", i), 0, 2000)
	}
	count := func(name string) (n int) {
		for _, a := range listed(t, w.reader, w.db.Tenant) {
			if a.Rule == name {
				n++
			}
		}
		return n
	}
	bounded.Until(t, "the alerts begin", func() bool { return count("dear") == 2 && count("all") == 1 })
	w.evaluated()
	w.restart()
	w.evaluated()
	if n := count("dear"); n != 2 {
		t.Errorf("%d alerts began", n)
	}
}

// An alert ends when its rule is no longer in the file, and a rule of other tenants has none.
func TestBudgetRules(t *testing.T) {
	others := perCustomer
	others.Name, others.Tokens, others.Tenants = "others", 1, []string{"nobody"}
	w := newWorld(t, 120, perCustomer, others)
	w.use("a", "acme", 0, 2000)
	bounded.Until(t, "the alert begins", func() bool { return w.alerts() == "dear acme 2026-03-02 a 02T10:02:00-" })
	w.evaluated()
	w.at(180)
	w.opts.Rules = []rule.Rule{others}
	w.restart()
	bounded.Until(t, "the alert ends", func() bool { return w.alerts() == "dear acme 2026-03-02 a 02T10:02:00-02T10:03:00" })
}

// An evaluation that fails is repeated, and ends no alert.
func TestBudgetFailure(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t, 120, perCustomer)
	w.use("a", "acme", 0, 2000)
	w.evaluated()
	var failures atomic.Int64
	lag := w.opts.Lag
	w.opts.Lag = func(ctx context.Context) (time.Duration, error) {
		if failures.Add(1) < 5 {
			return 0, errors.New("NATS is away")
		}
		return lag(ctx)
	}
	w.restart()
	w.evaluated()
	w.want("after failures", "dear acme 2026-03-02 a 02T10:02:00-")
}

// The alert of a budget goes to the receivers with what it is of.
func TestBudgetEvent(t *testing.T) {
	p := evaluate.Period{Name: "2026-03-02", From: querytest.When(0), To: querytest.When(86400)}
	a := evaluate.OverBudget(&perCustomer, p, &evaluate.Use{Tenant: "default", Value: "acme", Tokens: 1001}, querytest.When(5))
	text := querytest.Must[[]byte](t)(json.Marshal(a))
	for _, want := range []string{`"per":"tag:customer"`, `"value":"acme"`, `"period":"2026-03-02"`, `"kind":"budget"`, `"ended":null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}
