package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Alerts holds what the rules of alerts cost while sessions are recorded, and how soon an alert
// arrives.
type Alerts struct {
	Sessions int           `json:"sessions"` // live, each with Rate frames per second
	Rate     int           `json:"rate"`
	Took     time.Duration `json:"took_ns"`      // duration of all periods with the rules; those without took as long
	Rules    time.Duration `json:"rules_cpu_ns"` // of the server that evaluates the rules
	With     time.Duration `json:"with_cpu_ns"`  // of ClickHouse and all servers, in periods with the rules
	Without  time.Duration `json:"without_cpu_ns"`
	Delay    Percentiles   `json:"delay"` // from the time at which a tool call is open for too long to the webhook
	Known    bool          `json:"known"` // the CPU times are known
}

// Cores returns the processor time of the rules, in cores: the difference between the periods, but
// not less than that of the server that evaluates them.
func (a *Alerts) Cores() float64 { return max(a.With-a.Without, a.Rules).Seconds() / a.Took.Seconds() }

// alertRules has one rule of each kind that observes sessions. Only tools that hang are alerts: after
// 20 seconds, or three in a quick run.
const alertRules = `rules:
- {name: hangs, kind: tool_open, factor: 2, floor: %s}
- {name: silent, kind: silence, after: 5m}
- {name: no-progress, kind: no_progress, calls: 5, refusals: 5}
- {name: fails, kind: error_rate, percent: 50, last: 20}
- {name: dear, kind: budget, tokens: 5000000}
`

// alertPeriods are the periods of the measurement: sessions run alone until their tools have earlier calls, then the
// rules are evaluated and not evaluated in turns.
type alertPeriods struct {
	turns, hanging int // hanging is the number of tools that hang in each turn
	settle, period time.Duration
}

func measureAlerts(ctx context.Context, h *harness, r *Results) (err error) {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	a := &Alerts{Sessions: pick(h, 1000, 50), Rate: 20}
	p := pick(h, alertPeriods{turns: 3, hanging: 5, settle: 5 * time.Second, period: 25 * time.Second},
		alertPeriods{turns: 1, hanging: 1, settle: time.Second, period: 6 * time.Second})
	hook := newAlertHook()
	defer hook.server.Close()
	flags, err := hook.flags(c.dir, pick(h, "20s", "3s"))
	if err != nil {
		return err
	}
	live, err := openConnections(ctx, c.ingest.url, "watched", a.Sessions)
	defer func() {
		for _, t := range live.clients {
			if t.conn != nil {
				_ = t.conn.CloseNow() // in the middle of a run
			}
		}
	}()
	if err != nil {
		return err
	}
	sendCtx, stop := context.WithCancel(ctx)
	sending := make(chan error, 1)
	go func() {
		sending <- live.each(func(t *client) error {
			return t.sendPaced(sendCtx, a.Rate*int(alertsAtMost/time.Second), time.Second/time.Duration(a.Rate), toolFrame)
		})
	}()
	if err = waitForCalls(ctx, c.sink.url, a.Sessions); err == nil {
		err = a.takeTurns(ctx, h, c, p, hook, flags)
	}
	select {
	case ended := <-sending:
		stop()
		return errors.Join(err, ended, errors.New("the sessions ended before the measurement did"))
	default:
		stop()
		h.Log.Debug("alerts: the sessions ended with the measurement", "error", <-sending)
	}
	if err == nil {
		r.Alerts = a
	}
	return err
}

// alertsAtMost bounds how long sessions send.
const alertsAtMost = 10 * time.Minute

// waitForCalls waits until a report has n tool calls that have ended: the rule about open calls
// compares with earlier ones, which a server reads once a minute.
func waitForCalls(ctx context.Context, server string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, alertLimit)
	defer cancel()
	for {
		res, err := get(ctx, http.DefaultClient, server+"/v1/tools", "")
		if err != nil {
			return err
		}
		var report struct{ Totals struct{ Timed int } }
		err = json.NewDecoder(res.Body).Decode(&report)
		res.Body.Close()
		if err != nil || report.Totals.Timed >= n {
			return err
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d tool calls have ended: %w", report.Totals.Timed, n, err)
		}
	}
}

// takeTurns measures with and without the rules in turns.
func (a *Alerts) takeTurns(ctx context.Context, h *harness, c *cluster, p alertPeriods, hook *alertHook, flags []string) error {
	var delays []time.Duration
	for turn := range p.turns {
		dir, err := h.tempDir("alerts")
		if err != nil {
			return err
		}
		server, err := serveRole(ctx, h.Program, dir, c.env, "api", flags...)
		if err != nil {
			return err
		}
		hung, err := hook.hang(ctx, c, turn, p)
		if err == nil {
			err = pause(ctx, p.settle)
		}
		rules, known := cpuOf(server.pid())
		before := treeCPU() - ownCPU()
		if err == nil {
			err = pause(ctx, p.period)
		}
		a.With += treeCPU() - ownCPU() - before
		now, _ := cpuOf(server.pid())
		a.Rules += now - rules
		a.Known = known
		var came []time.Duration
		if err == nil {
			came, err = hook.delays(ctx, p.hanging)
		}
		delays = append(delays, came...)
		if err = errors.Join(err, hung.close(), server.stop()); err != nil {
			return err
		}
		if err := pause(ctx, p.settle); err != nil {
			return err
		}
		before = treeCPU() - ownCPU()
		if err := pause(ctx, p.period); err != nil {
			return err
		}
		a.Without += treeCPU() - ownCPU() - before
		a.Took += p.period
	}
	a.Delay = percentiles(delays)
	return nil
}

// alertHook receives alerts.
type alertHook struct {
	server *httptest.Server

	mu   sync.Mutex      // guards came
	came []time.Duration // from the begin of an alert until it arrived
}

func newAlertHook() *alertHook {
	h := &alertHook{}
	h.server = httptest.NewServer(h)
	return h
}

// ServeHTTP takes an event.
func (h *alertHook) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	now := time.Now()
	var event struct {
		Type  string
		Alert struct {
			Rule  string
			Began time.Time
		}
	}
	text, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(text, &event) != nil || event.Type != "alert.began" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.came = append(h.came, now.Sub(event.Alert.Began))
}

// flags writes the files of a server with the rules, and returns its flags.
func (h *alertHook) flags(dir, floor string) ([]string, error) {
	rules, secret := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "secret")
	err := errors.Join(os.WriteFile(rules, fmt.Appendf(nil, alertRules, floor), 0o600), os.WriteFile(secret, []byte("of the benchmark\n"), 0o600))
	return []string{
		"--alert-rules", rules, "--alert-webhook", h.server.URL, "--alert-webhook-secret-file", secret, "--alert-webhook-inward",
	}, err
}

// hang opens sessions with a tool call each that does not end, evenly over the first half of a
// period. The caller closes them.
func (h *alertHook) hang(ctx context.Context, c *cluster, turn int, p alertPeriods) (*connections, error) {
	hung, err := openConnections(ctx, c.ingest.url, fmt.Sprintf("hangs-%d", turn), p.hanging)
	for _, t := range hung.clients {
		if err != nil {
			return hung, err
		}
		if err = t.send(ctx, toolFrame(t.session, 0), toolFrame(t.session, toolCalled), toolFrame(t.session, toolBegins)); err == nil {
			err = t.waitAcked(ctx)
		}
		if err == nil {
			err = pause(ctx, p.period/2/time.Duration(p.hanging))
		}
	}
	return hung, err
}

// alertLimit ends a wait for alerts or calls that do not come. It is no bound of a delay: a server reads the usual times
// of tools once a minute, and other work may take the processors.
const alertLimit = 2 * time.Minute

// delays waits for n alerts, and returns their delays.
func (h *alertHook) delays(ctx context.Context, n int) ([]time.Duration, error) {
	for end := time.Now().Add(alertLimit); ; {
		h.mu.Lock()
		came := h.came
		h.mu.Unlock()
		if len(came) >= n || time.Now().After(end) {
			h.mu.Lock()
			h.came = nil
			h.mu.Unlock()
			if len(came) != n {
				return came, fmt.Errorf("%d alerts came, %d were expected", len(came), n)
			}
			return came, nil
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// Frames of a session whose agent calls a tool again and again: a call takes toolEnds-toolBegins of
// toolCycle frames, and the model answers in the others.
const (
	toolCycle  = 200
	toolCalled = 9
	toolBegins = 10
	toolEnds   = 50
)

// toolFrame returns frame n, from 0, of a session with tool calls.
func toolFrame(session string, n int) string {
	cycle := n / toolCycle
	frame := func(node, kind, rest string) string {
		return fmt.Sprintf(`{"session_id":"%s","node_id":"run-%s-%d","event_id":%d,"type":"%s"%s}`, session, node, cycle, n+1, kind, rest)
	}
	call := fmt.Sprintf(`,"call_id":"%s-%d","name":"search"`, session, cycle)
	switch at := n % toolCycle; {
	case n == 0:
		return loomStart(session)
	case at == toolCalled:
		return frame("think", "tool_call", fmt.Sprintf(`%s,"arguments":{"page":%d}`, call, cycle))
	case at == toolBegins:
		return frame("act", "tool_start", call)
	case at == toolEnds:
		return frame("act", "tool_end", call+`,"result":"found","is_error":false`)
	case at > toolBegins && at < toolEnds:
		return frame("act", "tool_output", call+`,"content":"."`)
	}
	return frame("think", "message_chunk", `,"content":" token","id":"think"`)
}
