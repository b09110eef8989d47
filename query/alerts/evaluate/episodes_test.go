package evaluate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/goleak"

	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const second = int64(time.Second)

// run is a session in the making. Times are in seconds since its start.
type run struct {
	evaluate.Session
	spans []evaluate.Span
}

func (r *run) begin(at float64, kind schema.SpanKind, id, parent, name, arguments string) {
	r.spans = append(r.spans, evaluate.Span{ID: id, Parent: parent, Kind: kind, Name: name, Status: schema.StatusOpen, Run: "run",
		Begin: ns(at), Arguments: arguments})
	r.LastAt = ns(at)
}

func (r *run) set(at float64, id string, status schema.Status, why string) {
	i := slices.IndexFunc(r.spans, func(s evaluate.Span) bool { return s.ID == id })
	r.spans[i].Status, r.spans[i].Error = status, why
	if status.Ended() {
		r.spans[i].Ended = ns(at)
	}
	r.LastAt = ns(at)
}

func ns(at float64) int64 { return int64((1000 + at) * float64(second)) }

// script reads the steps of a session, a line each: "AT begin KIND ID PARENT NAME ARGUMENTS", "AT STATUS ID
// [WHY]", "AT frame", "AT tokens N", "AT cost N", "AT end", "AT call ID NAME ARGUMENTS" for a tool call that ends at once,
// "AT usual TOOL P99" when the earlier calls of a tool are known to have taken up to P99 seconds. The rules are evaluated
// each second, and the alerts are written as "rule BEGIN-END span".
func script(t *testing.T, rules []rule.Rule, text string) string {
	t.Helper()
	r := &run{Session: evaluate.Session{Tenant: "default", ID: "s"}}
	episodes := evaluate.NewEpisodes(rules)
	p99 := map[string]float64{}
	usual := func(tool string) (evaluate.Usual, bool) {
		if p99[tool] > 0 {
			return evaluate.Usual{Calls: 20, P99: p99[tool] * 1e9}, true
		}
		switch tool {
		case "build": // its calls take up to 100 s
			return evaluate.Usual{Calls: 20, P99: 100e9}, true
		case "ls":
			return evaluate.Usual{Calls: 500, P99: 1e9}, true
		case "rare":
			return evaluate.Usual{Calls: 19, P99: 1e9}, true
		}
		return evaluate.Usual{}, false
	}
	var out []string
	shown := map[string]int{}
	evaluateAt := func(at float64) {
		r.Open, r.Calls = nil, nil
		for _, s := range r.spans {
			if !s.Status.Ended() {
				r.Open = append(r.Open, s)
			}
			if s.Kind == schema.SpanLLM {
				r.ModelAt = max(r.ModelAt, s.Ended)
			}
			if s.Kind == schema.SpanTool {
				r.Calls = append(r.Calls, s)
			}
		}
		r.Calls, _ = evaluate.Latest(r.Calls)
		holds := map[string]bool{}
		episodes.KeepRunning(&r.Session, holds)
		for _, f := range evaluate.Findings(rules, &r.Session, usual, ns(at)) {
			holds[evaluate.Condition(&r.Session, &f)] = true
			if a := episodes.New(&r.Session, &f); a != nil && episodes.Begin(a, ns(at)) {
				if _, twice := shown[a.ID]; twice {
					t.Errorf("at %v: a second alert %s", at, a.ID)
				}
				shown[a.ID] = len(out)
				out = append(out, fmt.Sprintf("%s %v", a.Rule, a.Began.Sub(time.Unix(0, ns(0))).Seconds()))
				if a.SpanID != nil {
					out[len(out)-1] += " " + *a.SpanID
				}
			}
		}
		for _, a := range episodes.Finish(holds, ns(at)) {
			out[shown[a.ID]] += fmt.Sprintf(" until %v", a.Ended.Sub(time.Unix(0, ns(0))).Seconds())
		}
	}
	clock := 0.0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var at float64
		if _, err := fmt.Sscan(words[0], &at); err != nil {
			t.Fatal(err)
		}
		for ; clock < at; clock++ {
			evaluateAt(clock)
		}
		words = append(words, "", "", "", "", "")
		switch words[1] {
		case "begin":
			r.begin(at, schema.SpanKind(words[2]), words[3], strings.Trim(words[4], "-"), words[5], words[6])
		case "call":
			r.begin(at, schema.SpanTool, words[2], "", words[3], words[4])
			r.set(at, words[2], schema.StatusOK, "")
		case "frame":
			r.LastAt = ns(at)
		case "tokens":
			_, _ = fmt.Sscan(words[2], &r.Tokens)
		case "cost":
			r.Costs = map[string]decimal.Decimal{"USD": decimal.RequireFromString(words[2])}
		case "usual":
			var seconds float64
			_, _ = fmt.Sscan(words[3], &seconds)
			p99[words[2]] = seconds
		case "end":
		default:
			r.set(at, words[2], schema.Status(words[1]), words[3])
		}
	}
	evaluateAt(clock)
	return strings.Join(out, "\n")
}

// Each rule alerts of what it observes, once in an episode, and of nothing that is healthy.
func TestRules(t *testing.T) {
	rules := map[string]rule.Rule{
		"open":    {Name: "open", Kind: rule.ToolOpen, Factor: 3, Floor: 30 * time.Second, PerHour: 60},
		"silence": {Name: "silence", Kind: rule.Silence, After: 60 * time.Second, PerHour: 60},
		"loop":    {Name: "loop", Kind: rule.NoProgress, Calls: 3, Refusals: 3, Except: []string{"poll"}, PerHour: 60},
		"errors":  {Name: "errors", Kind: rule.ErrorRate, Percent: 50, Last: 4, PerHour: 60},
		"budget":  {Name: "budget", Kind: rule.Budget, Tokens: 1000, Cost: decimal.RequireFromString("0.5"), Currency: "USD", PerHour: 60},
	}
	for _, tc := range []struct{ name, rule, script, want string }{
		{"a call hangs: three times 100 s", "open", "0 begin tool b - build\n400 end", "open 300 b"},
		{"a call that hung recovers", "open", "0 begin tool b - build\n350 ok b\n360 end", "open 300 b until 350"},
		{"the floor counts where three times the p99 is less", "open", "0 begin tool l - ls\n40 end", "open 30 l"},
		{"a slow call that is healthy", "open", "0 begin tool b - build\n299 ok b\n400 end", ""},
		{"a tool with 19 earlier calls", "open", "0 begin tool r - rare\n400 end", ""},
		{"a call that waits for a person", "open", "0 begin tool l - ls\n1 waiting l\n4000 end", ""},
		{"a sub-agent at work", "open", "0 begin tool l - ls\n1 begin run sub l task\n900 end", ""},
		{"a call of a sub-agent hangs", "open", "0 begin tool l - ls\n1 begin run sub l task\n2 begin tool x sub ls\n50 end", "open 32 x"},
		{"two calls hang", "open", "0 begin tool l - ls\n1 begin tool x - ls\n50 end", "open 30 l\nopen 31 x"},
		{"a call hangs while longer ones become usual", "open", "0 begin tool l - ls\n40 usual ls 480\n2000 end", "open 30 l"},
		{"it ends", "open", "0 begin tool l - ls\n40 usual ls 480\n100 ok l\n110 end", "open 30 l until 100"},
		{"it waits", "open", "0 begin tool l - ls\n40 usual ls 480\n50 waiting l\n60 end", "open 30 l until 50"},
		{"it turns out to be a sub-agent", "open", "0 begin tool l - ls\n40 usual ls 480\n50 begin run sub l task\n60 end", "open 30 l until 50"},
		{"longer calls become usual before", "open", "0 begin tool l - ls\n20 usual ls 480\n1439 end", ""},

		{"a model does not answer", "silence", "0 begin run r - main\n1 begin llm m r opus\n100 end", "silence 61 m"},
		{"a model that was silent answers", "silence", "0 begin llm m - opus\n90 frame\n100 end", "silence 60 m until 90"},
		{"silent twice", "silence", "0 begin llm m - opus\n70 frame\n140 end", "silence 60 m until 70\nsilence 130 m"},
		{"a slow answer that is healthy", "silence", "0 begin llm m - opus\n59 frame\n118 frame\n170 end", ""},
		{"a long build", "silence", "0 begin run r - main\n0 begin tool b r build\n3000 ok b\n3001 ok r\n3100 end", ""},
		{"a wait for a person", "silence", "0 begin run r - main\n0 begin tool b r ask\n1 waiting b\n4000 end", ""},
		{"a sub-agent whose model does not answer", "silence", "0 begin tool b - task\n0 begin llm m b opus\n90 end", "silence 60 m"},
		{"a run that answered and does not say that it ended", "silence", "0 begin run r - main\n0 begin llm m r opus\n2 ok m\n4000 end", ""},
		{"a model does not answer after a tool", "silence",
			"0 begin run r - main\n0 begin llm m r opus\n2 ok m\n3 begin tool l r ls\n4 ok l\n70 end", "silence 64 r"},
		{"a model does not answer at first", "silence", "0 begin run r - main\n70 end", "silence 60 r"},
		{"nothing is open", "silence", "0 begin llm m - opus\n1 ok m\n4000 end", ""},

		{"the same call three times", "loop",
			"0 call a sh x\n2 call b sh x\n4 call c sh x\n6 call d sh x\n10 end", "loop 4 c"},
		{"the loop ends with a new call", "loop",
			"0 call a sh x\n2 call b sh x\n4 call c sh x\n6 call d sh y\n10 end", "loop 4 c until 6"},
		{"two calls in turn", "loop",
			"0 call a sh x\n1 call b sh y\n2 call c sh x\n3 call d sh y\n4 call e sh x\n5 call f sh y\n10 end", "loop 5 f"},
		{"tests between edits", "loop",
			"0 call a sh test\n1 call b edit 1\n2 call c sh test\n3 call d edit 2\n4 call e sh test\n5 call f edit 3\n10 end", ""},
		{"a tool that is left out", "loop", "0 call a poll x\n1 call b poll x\n2 call c poll x\n10 end", ""},
		{"calls without known arguments", "loop", "0 call a sh\n1 call b sh\n2 call c sh\n10 end", ""},
		{"the same refusal three times", "loop",
			"0 begin tool a - sh 1\n1 rejected a no\n2 begin tool b - sh 2\n3 rejected b no\n4 begin tool c - sh 3\n5 rejected c no\n10 end", "loop 5 c"},
		{"refusals for different reasons", "loop",
			"0 begin tool a - sh 1\n1 error a x\n2 begin tool b - sh 2\n3 error b y\n4 begin tool c - sh 3\n5 error c z\n10 end", ""},
		{"a success between", "loop",
			"0 begin tool a - sh 1\n1 error a x\n2 begin tool b - sh 2\n3 error b x\n4 begin tool c - sh 3\n5 ok c\n6 begin tool d - sh 4\n7 error d x\n10 end", ""},

		{"half of four calls fail", "errors",
			"0 begin tool a - sh\n0 ok a\n1 begin tool b - sh\n1 error b x\n2 begin tool c - sh\n2 ok c\n3 begin tool d - sh\n3 error d x\n10 end", "errors 3 d"},
		{"the calls succeed again", "errors",
			"0 begin tool a - sh\n0 ok a\n1 begin tool b - sh\n1 error b x\n2 begin tool c - sh\n2 error c x\n3 begin tool d - sh\n3 ok d\n4 begin tool e - sh\n5 ok e\n6 begin tool f - sh\n8 ok f\n9 end",
			"errors 3 d until 8"},
		{"three calls are too few", "errors", "0 begin tool a - sh\n0 error a x\n1 begin tool b - sh\n1 error b x\n2 begin tool c - sh\n2 error c x\n10 end", ""},

		{"tokens over the budget", "budget", "0 tokens 1000\n2 tokens 1001\n5 tokens 9000\n9 end", "budget 2"},
		{"cost over the budget", "budget", "0 cost 0.5\n3 cost 0.51\n9 end", "budget 3"},
		{"within the budget", "budget", "0 tokens 1000\n0 cost 0.5\n9 end", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := script(t, []rule.Rule{rules[tc.rule]}, tc.script); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// A loop that is longer than the calls that rules look back on is one episode.
func TestLongLoop(t *testing.T) {
	rules := []rule.Rule{{Name: "loop", Kind: rule.NoProgress, Calls: 3, PerHour: 60}}
	s := evaluate.Session{Tenant: "default", ID: "s"}
	episodes := evaluate.NewEpisodes(rules)
	began := 0
	for i := range 10 {
		s.Calls = nil
		for k := range 5 {
			s.Calls = append(s.Calls, evaluate.Span{ID: fmt.Sprint(i + k), Kind: schema.SpanTool, Name: "sh", Arguments: "x", Status: schema.StatusOK, Begin: int64(i + k), Ended: int64(i + k)})
		}
		for _, f := range evaluate.Findings(rules, &s, nil, int64(i+10)) {
			if a := episodes.New(&s, &f); a != nil && episodes.Begin(a, int64(i+10)) {
				began++
			}
		}
	}
	if began != 1 {
		t.Errorf("%d alerts began, want 1", began)
	}
}

// A call that is open takes no place of those that rules look back on.
func TestLatest(t *testing.T) {
	var calls []evaluate.Span
	for i := range rule.MostCalls + 5 {
		c := evaluate.Span{ID: fmt.Sprint(i), Status: schema.StatusOK, Begin: int64(i), Ended: int64(i + 1)}
		if i == 2 || i == 100 {
			c.Status, c.Ended = schema.StatusOpen, 0
		}
		calls = append(calls, c)
	}
	latest, over := evaluate.Latest(calls)
	ids := func(list []evaluate.Span) (ids []string) {
		for i := range list {
			ids = append(ids, list[i].ID)
		}
		return ids
	}
	// Of 203 calls that ended the first three are too many.
	if got := ids(over); !slices.Equal(got, []string{"0", "1", "3"}) {
		t.Errorf("%v are too many", got)
	}
	if got := ids(latest); len(got) != rule.MostCalls+2 || got[0] != "2" || got[1] != "4" {
		t.Errorf("%d are the latest: %v", len(got), got)
	}
}

// The rules of a file begin a bounded number of alerts for a tenant in an hour, and others for another tenant.
func TestPerHour(t *testing.T) {
	rules := []rule.Rule{{Name: "budget", Kind: rule.Budget, Tokens: 1, PerHour: 2}}
	episodes := evaluate.NewEpisodes(rules)
	begin := func(tenant, session string, now int64) bool {
		s := &evaluate.Session{Tenant: tenant, ID: session, Tokens: 2}
		f := evaluate.Findings(rules, s, nil, now)[0]
		return episodes.Begin(episodes.New(s, &f), now)
	}
	for i, want := range []bool{true, true, false} {
		if got := begin("a", fmt.Sprint(i), int64(i)*second); got != want {
			t.Errorf("alert %d began: %v", i, got)
		}
	}
	if !begin("b", "s", second) {
		t.Error("the alerts of another tenant count")
	}
	if !begin("a", "later", 3600*second+1) {
		t.Error("no alert began an hour later")
	}
}

// Alerts that could not be stored do not count, and those that began beside them do.
func TestPerHourOfDropped(t *testing.T) {
	rules := []rule.Rule{{Name: "budget", Kind: rule.Budget, Tokens: 1, PerHour: 3}}
	episodes := evaluate.NewEpisodes(rules)
	begin := func(session string, now int64) (*evaluate.Alert, bool) {
		s := &evaluate.Session{Tenant: "default", ID: session, Tokens: 2}
		f := evaluate.Findings(rules, s, nil, now)[0]
		a := episodes.New(s, &f)
		return a, episodes.Begin(a, now)
	}
	if _, ok := begin("stored", second); !ok {
		t.Error("the first alert did not begin")
	}
	for i := range int64(10) {
		a, ok := begin("fails", i*30*second)
		if !ok {
			t.Errorf("attempt %d was refused", i)
		}
		episodes.Drop(a)
	}
	for i, want := range []bool{true, true, false} {
		if _, ok := begin(fmt.Sprint(i), 300*second); ok != want {
			t.Errorf("alert %d began: %v", i, ok)
		}
	}
}

// Alerts that are stored count among those of the past hour, by tenant and rule, and for no longer.
func TestPerHourOfStored(t *testing.T) {
	rules := []rule.Rule{{Name: "budget", Kind: rule.Budget, Tokens: 1, PerHour: 3}}
	episodes := evaluate.NewEpisodes(rules)
	stored := func(tenant, of string, began int64) *evaluate.Alert {
		return &evaluate.Alert{Tenant: tenant, Rule: of, Began: time.Unix(began, 0)}
	}
	episodes.Count([]*evaluate.Alert{stored("a", "budget", 5900), stored("a", "budget", 2400), stored("a", "budget", 2401), stored("a", "other", 5900),
		stored("b", "budget", 5900), stored("b", "budget", 5901), stored("b", "budget", 5902)}, 6000*second)
	for i, of := range []struct {
		tenant string
		now    int64
		want   bool
	}{
		{"a", 6000, true}, // after those of 2401 and 5900; that of 2400 began an hour ago
		{"a", 6000, false},
		{"b", 6000, false},
		{"a", 6001, true}, // an hour after 2401
		{"a", 6001, false},
		{"b", 9500, true}, // an hour after 5900
		{"b", 9500, false},
	} {
		s := &evaluate.Session{Tenant: of.tenant, ID: fmt.Sprint(i), Tokens: 2}
		f := evaluate.Findings(rules, s, nil, of.now*second)[0]
		if got := episodes.Begin(episodes.New(s, &f), of.now*second); got != of.want {
			t.Errorf("alert %d began: %v", i, got)
		}
	}
}

// Whoever evaluates a rule gives an episode the same id, and an episode that was stored as open goes on.
func TestRestart(t *testing.T) {
	rules := []rule.Rule{{Name: "budget", Kind: rule.Budget, Tokens: 1, PerHour: 2}}
	s := &evaluate.Session{Tenant: "default", ID: "s", Tokens: 2}
	f := evaluate.Findings(rules, s, nil, 5)[0]
	first := evaluate.NewEpisodes(rules).New(s, &f)
	f = evaluate.Findings(rules, s, nil, 99)[0]
	if again := evaluate.NewEpisodes(rules).New(s, &f); again.ID != first.ID {
		t.Errorf("the ids are %s and %s", first.ID, again.ID)
	}
	restarted := evaluate.NewEpisodes(rules, first)
	if again := restarted.New(s, &f); again != nil {
		t.Errorf("the open episode began again: %+v", again)
	}
	if ended := restarted.Finish(nil, 100); len(ended) != 1 || ended[0].ID != first.ID {
		t.Errorf("ended: %+v", ended)
	}
}
