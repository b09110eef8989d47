package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t *testing.T, text string) ([]Rule, error) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadFile(file)
}

// An error in a file of rules names the line and the key.
func TestFileErrors(t *testing.T) {
	const silence = "rules:\n- {name: a, kind: silence, after: 1m}\n"
	for text, want := range map[string]string{
		"":                      "is empty",
		"rule: []":              `:1: unknown key "rule"; did you mean "rules"?`,
		"rules: []":             ":1: rules: this must be a list",
		"rules:\n- {name: a}":   ":2: rules[0]: this must have a kind",
		"rules:\n- {kind: bad}": `:2: rules[0].kind: there is no kind "bad"; known kinds: tool_open, silence`,
		"rules:\n- {name: a, kind: silence, after: 1m, factor: 2}":                             `rules[0]: unknown key "factor"`,
		"rules:\n- {name: a b, kind: silence, after: 1m}":                                      "rules[0].name: a name has 1 to 64",
		"rules:\n- {name: a, kind: silence}":                                                   "must have after",
		"rules:\n- {name: a, kind: silence, after: 0s}":                                        "rules[0].after: this must be a duration from 1s to 168h0m0s",
		"rules:\n- {name: a, kind: silence, after: 9999h}":                                     "rules[0].after: this must be a duration from",
		"rules:\n- name: a\n  kind: silence\n  after: 1m\n  after: 2m":                         `:5: rules[0]: the key "after" is here twice`,
		"rules:\n- {name: a, kind: silence, after: 1m, max_per_hour: 0}":                       "rules[0].max_per_hour: this must be a whole number from 1 to 10000",
		"rules:\n- {name: a, kind: silence, after: 1m, max_per_hour: 1000000}":                 "from 1 to 10000",
		"rules:\n- {name: a, kind: silence, after: 1m, tenants: [x, x]}":                       `"x" is named twice`,
		silence + "- {name: a, kind: silence, after: 2m}":                                      `:3: the name "a" is that of the rule in line 2`,
		silence + "- {name: b, kind: silence, after: 60s}":                                     `:3: the rule "b" alerts of the same as "a" in line 2`,
		"rules:\n- {name: a, kind: tool_open, factor: 3}":                                      "must have floor",
		"rules:\n- {name: a, kind: tool_open, factor: 0.5, floor: 30s}":                        "rules[0].factor: this must be a number from 1 to 1000",
		"rules:\n- {name: a, kind: tool_open, factor: NaN, floor: 30s}":                        "rules[0].factor: this must be a number from 1 to 1000",
		"rules:\n- {name: a, kind: tool_open, factor: 3, floor: 30s, tools: [x], except: [x]}": "contradiction: except names all tools",
		"rules:\n- {name: a, kind: no_progress}":                                               "must have calls, refusals or both",
		"rules:\n- {name: a, kind: no_progress, calls: 1}":                                     "rules[0].calls: this must be a whole number from 2 to 200",
		"rules:\n- {name: a, kind: error_rate, last: 10}":                                      "must have percent",
		"rules:\n- {name: a, kind: error_rate, last: 10, percent: 0}":                          "rules[0].percent: this must be a number from 1 to 100",
		"rules:\n- {name: a, kind: budget}":                                                    "must have tokens, cost or both",
		"rules:\n- {name: a, kind: budget, tokens: 0}":                                         "a budget of 0 is exceeded by any use",
		"rules:\n- {name: a, kind: budget, cost: 0, currency: USD}":                            "a budget of 0 is exceeded by any use",
		"rules:\n- {name: a, kind: budget, cost: 1}":                                           "cost and currency go together",
		"rules:\n- {name: a, kind: budget, cost: 1, currency: usd}":                            "this must be a currency such as USD",
		"rules:\n- &r {name: a, kind: budget, tokens: 1}\n- *r":                                ":3: the alias *r",
		"rules:\n" + strings.Repeat("- {kind: silence}\n", 101):                                "101 rules; a file has 100 at most",
	} {
		_, err := read(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
}

// Rules are read as they are written.
func TestFile(t *testing.T) {
	rules, err := read(t, `rules:
- {name: hangs, kind: tool_open, factor: 2.5, floor: 45s, tools: [bash, ls], except: [ls], tenants: [acme], max_per_hour: 5}
- {name: silent, kind: silence, after: 2m}
- {name: loops, kind: no_progress, calls: 5, refusals: 4}
- {name: fails, kind: error_rate, percent: 50, last: 20}
- {name: dear, kind: budget, tokens: 1000000, cost: 2.50, currency: EUR}
`)
	if err != nil || len(rules) != 5 {
		t.Fatalf("%+v, %v", rules, err)
	}
	if r := rules[0]; r.Factor != 2.5 || r.Floor != 45*time.Second || r.PerHour != 5 || !r.Of("bash") || r.Of("ls") || r.Of("cat") ||
		!r.Applies("acme") || r.Applies("other") {
		t.Errorf("%+v", r)
	}
	if r := rules[1]; r.After != 2*time.Minute || r.PerHour != DefaultPerHour || !r.Applies("other") {
		t.Errorf("%+v", r)
	}
	if r := rules[2]; r.Calls != 5 || r.Refusals != 4 {
		t.Errorf("%+v", r)
	}
	if r := rules[3]; r.Percent != 50 || r.Last != 20 {
		t.Errorf("%+v", r)
	}
	if r := rules[4]; r.Tokens != 1_000_000 || r.Cost.String() != "2.5" || r.Currency != "EUR" {
		t.Errorf("%+v", r)
	}
}

// FuzzFile reads any file without a panic.
func FuzzFile(f *testing.F) {
	f.Add("rules:\n- {name: a, kind: silence, after: 1m}\n")
	f.Add("rules:\n- name: a\n  kind: [x]\n")
	f.Add("rules: {a: 1}\n---\nb")
	f.Fuzz(func(t *testing.T, text string) { _, _ = read(t, text) })
}
