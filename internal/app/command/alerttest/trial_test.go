package alerttest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/command/alerttest"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/prices"
	"tapedeck/schema"
)

// at returns a time of a recording, in seconds since its start.
func at(second float64) int64 { return int64((1000 + second) * 1e9) }

func newTrial(rules ...rule.Rule) *alerttest.Trial {
	return alerttest.New(alerttest.Options{Rules: rules, Tenant: "default", Session: "s", Prices: prices.With(nil)})
}

func open(t *testing.T, trial *alerttest.Trial, id string, ends float64) {
	t.Helper()
	if err := trial.Open(schema.StreamState{StreamID: id, Dialect: "claude-code", FirstAt: at(0), Ended: at(ends)}); err != nil {
		t.Fatal(err)
	}
}

// finish ends a trial and writes its alerts as "rule BEGIN-END" in seconds.
func finish(t *testing.T, trial *alerttest.Trial) (alerts string, refused int) {
	t.Helper()
	result, err := trial.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, a := range result.Alerts {
		line := fmt.Sprintf("%s %v-", a.Rule, float64(a.Began.UnixNano()-at(0))/1e9)
		if a.Ended != nil {
			line += fmt.Sprint(float64(a.Ended.UnixNano()-at(0)) / 1e9)
		}
		list = append(list, line)
	}
	return strings.Join(list, ", "), result.Refused
}

const started = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`

// other is a frame that changes nothing: the rules are evaluated before it.
const other = `{"type":"system","subtype":"status","session_id":"s"}`

// Streams end in the order of their ends: the clock of the rules does not go back.
func TestEnds(t *testing.T) {
	trial := newTrial(rule.Rule{Name: "silence", Kind: rule.Silence, After: 55 * time.Second, PerHour: 60})
	for i := 1; i <= 11; i++ {
		open(t, trial, fmt.Sprint("other", i), float64(10*i))
	}
	open(t, trial, "main", 115)
	if err := trial.Frame("main", &schema.Frame{At: at(0), Raw: []byte(started)}); err != nil {
		t.Fatal(err)
	}
	if got, _ := finish(t, trial); got != "silence 55-115" {
		t.Errorf("%s", got)
	}
}

// calls returns a message of a model that calls a tool, a call for each id.
func calls(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}`, id, id))
	}
	return `{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[` + strings.Join(list, ",") + `]}}`
}

// results returns the results of calls.
func results(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"ok"}`, id))
	}
	return `{"type":"user","message":{"role":"user","content":[` + strings.Join(list, ",") + `]}}`
}

// frame is a frame at a time of a recording.
type frame struct {
	at   float64
	data string
}

// play decodes frames of the stream main.
func play(t *testing.T, trial *alerttest.Trial, frames ...frame) {
	t.Helper()
	for i, f := range frames {
		if err := trial.Frame("main", &schema.Frame{Seq: uint64(i), At: at(f.at), Raw: []byte(f.data)}); err != nil {
			t.Fatal(err)
		}
	}
}

// hanging plays twenty calls of a second, one of 100 seconds and one without an end. After the call of 100 seconds the
// p99 of the tool is 80.2 s, so that a call is unusual after 240.6 seconds only; before, after 30.
func hanging(t *testing.T, perHour int) (alerts string, refused int) {
	t.Helper()
	trial := newTrial(rule.Rule{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: 30 * time.Second, PerHour: perHour})
	open(t, trial, "main", 400)
	var short []string
	for i := range 20 {
		short = append(short, fmt.Sprint("short", i))
	}
	play(t, trial, frame{0, started}, frame{0, calls(append(short, "long", "endless")...)}, frame{1, results(short...)},
		frame{40, other}, frame{45, other}, frame{100, results("long")}, frame{102, other}, frame{300, other}, frame{305, other})
	return finish(t, trial)
}

// The alert of a call that hangs goes on until its stream ends, although longer calls are usual by then.
func TestHanging(t *testing.T) {
	if got, refused := hanging(t, 60); got != "tool 30-400, tool 30-102" || refused != 0 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// An episode that is over does not begin again, as on a server: here that of a call that hangs, waits for a permission
// and hangs again.
func TestAgain(t *testing.T) {
	trial := newTrial(rule.Rule{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: 30 * time.Second, PerHour: 60})
	open(t, trial, "main", 400)
	var short []string
	for i := range 20 {
		short = append(short, fmt.Sprint("short", i))
	}
	play(t, trial, frame{0, started}, frame{0, calls(append(short, "endless")...)}, frame{1, results(short...)}, frame{35, other},
		frame{40, `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"endless"}}`},
		frame{42, other},
		frame{50, `{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow","updatedInput":{}}}}`},
		frame{300, other}, frame{305, other})
	if got, refused := finish(t, trial); got != "tool 30-42" || refused != 0 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// A call that waited when its stream ended does not keep another stream of the session from being silent.
func TestLeftWaiting(t *testing.T) {
	trial := newTrial(rule.Rule{Name: "silence", Kind: rule.Silence, After: time.Minute, PerHour: 60})
	open(t, trial, "main", 10)
	open(t, trial, "next", 200)
	play(t, trial, frame{0, started}, frame{0, calls("asks")},
		frame{2, `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"asks"}}`})
	if err := trial.Frame("next", &schema.Frame{At: at(20), Raw: []byte(started)}); err != nil {
		t.Fatal(err)
	}
	if got, refused := finish(t, trial); got != "silence 80-200" || refused != 0 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// An alert beyond the bound of its rule is counted once.
func TestRefusedOnce(t *testing.T) {
	if got, refused := hanging(t, 1); got != "tool 30-400" || refused != 1 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// A call that runs takes no place of the calls that a rule looks back on: of calls in turn of which three of five fail,
// the last 200 have one alert, from the end of the 200th call on.
func TestErrorRateOfMostCalls(t *testing.T) {
	trial := newTrial(rule.Rule{Name: "errors", Kind: rule.ErrorRate, Percent: 50, Last: rule.MostCalls, PerHour: 60})
	open(t, trial, "main", 1000)
	frames := []frame{{0, started}}
	for i := range rule.MostCalls + 10 {
		id := fmt.Sprint("c", i)
		result := results(id)
		if i%5 < 3 {
			result = strings.Replace(result, `"content":"ok"`, `"content":"ok","is_error":true`, 1)
		}
		frames = append(frames, frame{float64(4 * i), strings.Replace(calls(id), "m1", id, 1)}, frame{float64(4*i + 2), result})
	}
	play(t, trial, frames...)
	if got, refused := finish(t, trial); got != "errors 798-" || refused != 0 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// Budgets of tag values and tenants are not tried on a recording, and the result names them.
func TestSkipped(t *testing.T) {
	trial := newTrial(rule.Rule{Name: "tenant", Kind: rule.Budget, Per: rule.PerTenant, Period: rule.Day, Zone: "UTC", Tokens: 1, PerHour: 60},
		rule.Rule{Name: "session", Kind: rule.Budget, Tokens: 1 << 40, PerHour: 60})
	open(t, trial, "main", 400)
	result, err := trial.Finish()
	if err != nil || len(result.Alerts) > 0 || !slices.Equal(result.Skipped, []string{"tenant"}) {
		t.Errorf("%+v, %v", result, err)
	}
}
