package statusline

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/pricing/cost"
)

// stated is an input with the members that Claude Code's documentation names.
const stated = `{"session_id":"01a2","transcript_path":"/h/01a2.jsonl","cwd":"/w","model":{"id":"claude-opus-4-8","display_name":"Opus 4.8"},
	"cost":{"total_cost_usd":0.384,"total_duration_ms":5400000},
	"context_window":{"context_window_size":1000000,"used_percentage":26},
	"rate_limits":{"five_hour":{"used_percentage":42.4,"resets_at":1781290000},"seven_day":{"used_percentage":36}}}`

func read(t *testing.T, text string) *Input {
	t.Helper()
	in, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestLine(t *testing.T) {
	now := time.Unix(1781290000-7800, 0)
	usd := func(text string) *cost.Money {
		return &cost.Money{Amount: decimal.RequireFromString(text), Currency: "USD"}
	}
	totals := func(tokens int64, m *cost.Money, unpriced uint64) *cost.UsageTotals {
		return &cost.UsageTotals{Calls: 1, Tokens: cost.Tokens{Total: tokens}, Cost: m, UnpricedCalls: unpriced}
	}
	percent := func(n float64) *float64 { return &n }
	at := func(s int64) *time.Time { t := time.Unix(s, 0); return &t }
	for name, tc := range map[string]struct {
		text string
		r    Recorded
		want string
	}{
		"all is known": {
			stated, Recorded{Session: totals(261_400, usd("0.385"), 0), Today: totals(5_120_000, usd("3.2"), 0)},
			"Opus 4.8 · session 261k tokens $0.38 · today 5.1M tokens $3.20 · context 26% of 1M · 5h 42%, resets in 2h10m · 7d 36%",
		},
		"the session is not recorded, and the server is away": {
			stated, Recorded{Away: "server away"},
			"Opus 4.8 · session $0.38 stated · today: server away · context 26% of 1M · 5h 42%, resets in 2h10m · 7d 36%",
		},
		"prices are missing": {
			`{"model":{"id":"other"}}`, Recorded{Session: totals(999, nil, 1), Today: totals(1_500, usd("1"), 2)},
			"other · session 999 tokens, no price · today 1.5k tokens >$1.00",
		},
		"nothing is used": {
			`{}`, Recorded{Session: &cost.UsageTotals{}, Today: &cost.UsageTotals{}}, "today 0 tokens",
		},
		"members of other types": {
			`{"model":"opus","context_window":{"context_window_size":1000000.0,"used_percentage":26},"rate_limits":{"five_hour":{"used_percentage":4,"resets_at":"soon"}}}`,
			Recorded{Today: &cost.UsageTotals{}}, "today 0 tokens · context 26% of 1M · 5h 4%",
		},
		"figures that are no numbers": {
			`{"cost":{"total_cost_usd":"x"},"context_window":{"used_percentage":"a"},"rate_limits":{"five_hour":{"used_percentage":"a","resets_at":1781290000},"seven_day":{"used_percentage":null}}}`,
			Recorded{Today: &cost.UsageTotals{}}, "today 0 tokens",
		},
		"figures that cannot be true": {
			`{"model":{"display_name":"  "},"cost":{"total_cost_usd":1e300},"context_window":{"used_percentage":1e300},"rate_limits":{"seven_day":{"used_percentage":-1}}}`,
			Recorded{Today: &cost.UsageTotals{}}, "today 0 tokens",
		},
		"the stream states the limits": {
			`{}`, Recorded{Today: &cost.UsageTotals{}, Limits: []accountlimits.Limit{
				{Name: "seven_day", Status: "rejected"}, {Name: "five_hour", UsedPercent: percent(55), ResetsAt: at(1781290000)}}},
			"today 0 tokens · 5h 55%, resets in 2h10m (recorded) · 7d rejected (recorded)",
		},
		"the stream states limits that were reset, nothing of them, or what cannot be true": {
			`{}`, Recorded{Today: &cost.UsageTotals{}, Limits: []accountlimits.Limit{
				{Name: "five_hour", UsedPercent: percent(55), ResetsAt: at(1781290000 - 7800)}, {Name: "seven_day", Status: "allowed"},
				{Name: "five_hour", UsedPercent: percent(9999)}, {Name: "primary", UsedPercent: percent(5)}}},
			"today 0 tokens",
		},
		"Claude Code's statement counts": {
			`{"rate_limits":{"five_hour":{"used_percentage":4}}}`,
			Recorded{Today: &cost.UsageTotals{}, Limits: []accountlimits.Limit{{Name: "five_hour", UsedPercent: percent(55)}}},
			"today 0 tokens · 5h 4%",
		},
		"a name with control characters": {
			`{"model":{"display_name":"a\u001b[31m\nb"}}`, Recorded{Today: &cost.UsageTotals{}}, `a\x1b[31m b · today 0 tokens`,
		},
	} {
		if got := Line(read(t, tc.text), &tc.r, now); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
}

func TestShort(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1k", 1049: "1k", 1050: "1.1k", 99_949: "99.9k", 99_950: "100k", 999_499: "999k", 999_500: "1M",
		12_345_678: "12.3M", 4_000_000_000: "4G",
	} {
		if got := short(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestRough(t *testing.T) {
	for d, want := range map[time.Duration]string{
		20 * time.Second: "0m", 59 * time.Minute: "59m", 3 * time.Hour: "3h0m", 76*time.Hour + 5*time.Minute: "3d4h",
	} {
		if got := rough(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no JSON": "hello", "a list": "[]",
		"too large": `{"session_id":"` + strings.Repeat("x", inputLimit) + `"}`,
	} {
		if in, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "standard input") {
			t.Errorf("%s: %v, %v", name, in, err)
		}
	}
}

// What does not arrive in time is missing; nothing else is.
func TestAsk(t *testing.T) {
	now := time.Date(2026, 3, 4, 1, 30, 0, 0, time.FixedZone("", 2*3600))
	for name, tc := range map[string]struct {
		session, usage func(http.ResponseWriter, *http.Request)
		recorded       bool
		away           string
	}{
		"both answer": {session: answer(200, `{"totals":{"calls":2}}`), usage: answer(200, `{"totals":{"calls":3}}`), recorded: true},
		"no such session": {
			session: answer(404, `{"title":"Not Found","status":404}`), usage: answer(200, `{"totals":{"calls":3}}`),
		},
		"the token is refused": {
			session: answer(401, `{"title":"Unauthorized","status":401}`), usage: answer(401, `{"title":"Unauthorized","status":401}`),
			away: "server answers 401",
		},
		"the report hangs": {
			session: answer(200, `{"totals":{"calls":2}}`), usage: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			recorded: true, away: "server slow",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("/v1/sessions/s", tc.session)
			mux.HandleFunc("/v1/usage", func(w http.ResponseWriter, r *http.Request) {
				if from := r.URL.Query().Get("from"); from != "2026-03-03T22:00:00Z" {
					t.Errorf("from %s", from)
				}
				tc.usage(w, r)
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			client, err := apiclient.New(server.URL, "")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			r := Ask(ctx, client, "s", now)
			if (r.Session != nil) != tc.recorded || r.Away != tc.away || (r.Today != nil) != (tc.away == "") {
				t.Errorf("%+v", r)
			}
			if r.Today != nil && r.Today.Calls != 3 || r.Session != nil && r.Session.Calls != 2 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Today begins with the first moment of the date, also where the date has no midnight.
func TestAskWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago") // on this day the clock is put forward from 0 to 1 o'clock
	if err != nil {
		t.Fatal(err)
	}
	asked := usageFrom{}
	Ask(t.Context(), asked, "", time.Date(2026, 9, 6, 12, 0, 0, 0, zone))
	if got := asked["v1/usage"]; got != "2026-09-06T04:00:00Z" {
		t.Errorf("from %s", got)
	}
}

// usageFrom keeps the parameter from of each path.
type usageFrom map[string]string

func (u usageFrom) Get(_ context.Context, path string, q url.Values, _ any) error {
	u[path] = q.Get("from")
	return nil
}

func answer(status int, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set(problem.ServerHeader, "1")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // the client may be gone
	}
}
