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

// hanging plays twenty calls of a second, one of 100 seconds and one without an end. After the call of 100 seconds the
// p99 of the tool is 80.2 s, so that the call without an end is unusual after 240.6 seconds only; before, after 30.
func hanging(t *testing.T, perHour int) (alerts string, refused int) {
	t.Helper()
	trial := newTrial(rule.Rule{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: 30 * time.Second, PerHour: perHour})
	open(t, trial, "main", 400)
	var short []string
	for i := range 20 {
		short = append(short, fmt.Sprint("short", i))
	}
	for i, f := range []struct {
		at   float64
		data string
	}{
		{0, started}, {0, calls(append(short, "long", "endless")...)}, {1, results(short...)},
		{40, other}, {45, other}, {100, results("long")}, {102, other}, {300, other}, {305, other},
	} {
		if err := trial.Frame("main", &schema.Frame{Seq: uint64(i), At: at(f.at), Raw: []byte(f.data)}); err != nil {
			t.Fatal(err)
		}
	}
	return finish(t, trial)
}

// An episode that is over does not begin again, as on a server.
func TestAgain(t *testing.T) {
	if got, refused := hanging(t, 60); got != "tool 30-102, tool 30-102" || refused != 0 {
		t.Errorf("%s; %d refused", got, refused)
	}
}

// An alert beyond the bound of its rule is counted once.
func TestRefusedOnce(t *testing.T) {
	if got, refused := hanging(t, 1); !strings.HasPrefix(got, "tool 30-102") || strings.Contains(got, ",") || refused != 1 {
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
