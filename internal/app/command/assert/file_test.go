package assert

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An error in a file of conditions names the line and the key.
func TestFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"tokens:\n  maxx: 3":                   `:2: tokens: unknown key "maxx"; did you mean "max"?`,
		"fails: false\nfirst_toke: {max: 1s}":  `:2: unknown key "first_toke"; did you mean "first_token"?`,
		"wrong_altogether: 1":                  "known keys: arguments, calls, cost, ",
		"tokens: {max: 1}\ntokens: {max: 2}":   "",
		"tokens: 5":                            ":1: tokens: this must be a mapping with min, max or both",
		"tokens: {max: &n 5}\ntool_errors: *n": ":2: the alias *n: aliases are not supported",
		"arguments:\n- {tool: a, path: b, equals: [&x [1, 2], [*x, *x]]}": ":2: the alias *x",
		"tokens: {}":                                     "min, max or both",
		"tokens: {max: -1}":                              "tokens.max: this must be a whole number from 0",
		"duration: {max: 5}":                             "duration.max: this must be a duration such as",
		"cost: {max: 1e3}":                               "cost.max: this must be an amount",
		"calls: {bash: many}":                            "calls.bash: this must be a whole number",
		"order: bash":                                    "order: this must be a list",
		"order: []":                                      "order: this must be a list",
		"texts:\n  - {}":                                 ":2: texts[0]: this must have one of contains and matches",
		"texts:\n  - {contains: a, matches: b}":          "one of contains and matches",
		"texts:\n  - {matches: '('}":                     "texts[0].matches: error parsing regexp",
		"texts:\n  - {contains: a, of: user}":            "texts[0].of: this must be assistant",
		"arguments:\n  - {tool: bash}":                   "arguments[0]: this must have tool and path",
		"arguments:\n  - {tool: bash, path: 'a['}":       "arguments[0].path: ",
		"arguments:\n  - {tool: bash, path: a, call: 0}": "counted from 1",
		"arguments:\n  - {tool: bash, path: a, call: 1, every: true}":   "contradiction",
		"arguments:\n  - {tool: bash, path: a, equals: null}":           "null is no value",
		"arguments:\n  - {tool: bash, path: a, equals: 1, contains: x}": "one of equals, contains and matches",
		"same_steps: {words: true}":                                     "same_steps: this must have as",
		"fails: perhaps":                                                "fails: this must be true or false",
		"- a":                                                           "this must be a mapping",
		"a: b: c":                                                       "it is not YAML",
		"":                                                              "is empty",
		"fails: true\n---\nfails: false":                                "second document",
		"tokens: {min: 5, max: 4}":                                      "tokens: contradiction: at least 5 and at most 4",
		"duration: {min: 5s, max: 4s}":                                  "duration: contradiction: at least 5.00s and at most 4.00s",
		"cost: {min: 2, max: 1}":                                        "cost: contradiction",
		"calls: {bash: {min: 2, max: 1}}":                               "calls.bash: contradiction",
		"calls: {bash: 0}\norder: [bash]":                               "contradiction: order has 1 call of bash, calls.bash is exactly 0",
		"calls: {bash: 3}\nexact_order: [bash, bash]":                   "contradiction: exact_order has 2 calls of bash, calls.bash is exactly 3",
		"order: [b, a]\nexact_order: [a, b]":                            "contradiction: order has a where exact_order does not",
		"calls: {bash: 0}\narguments: [{tool: bash, path: a}]":          "contradiction: arguments has a condition on calls of bash",
		"calls: {}":                                                     "nothing is asserted",
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadFile(file)
		if err == nil {
			err = c.Check()
		}
		if want == "" {
			want = "tokens\" is here twice"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

func TestParseCalls(t *testing.T) {
	for text, want := range map[string]string{
		"bash": "bash at least 1", "bash=2": "bash exactly 2", "bash=0": "bash exactly 0", "bash=1..3": "bash 1 to 3", "bash=..3": "bash at most 3",
		"bash=2..": "bash at least 2", "": "error", "=2": "error", "bash=": "error", "bash=..": "error", "bash=x": "error", "bash=-1": "error",
	} {
		c, err := ParseCalls(text)
		got := fmt.Sprintf("%s %s", c.Tool, rangeText(&c.Range, countText))
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s (%v), want %s", text, got, err, want)
		}
	}
}
