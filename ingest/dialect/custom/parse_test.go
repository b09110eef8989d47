package custom_test

import (
	"strings"
	"testing"

	"tapedeck/ingest/dialect/custom"
)

// TestProblems checks that errors name the file, the line, the key, and the nearest known key.
func TestProblems(t *testing.T) {
	const head = "name: x\nrules:\n"
	for _, test := range []struct{ name, file, want string }{
		{"empty", "", "f.yaml: the file is empty"},
		{"not YAML", "name: [", "f.yaml:1: "},
		{"tab", "name: x\nrules:\n\t- text: a\n", "f.yaml:3: found character that cannot start any token; YAML is indented with spaces"},
		{"no name", "rules:\n  - {ignore: true}\n", "f.yaml:1: name: the key is missing"},
		{"two documents", head + "  - {ignore: true}\n---\nname: y\n", "f.yaml: a dialect file holds one YAML document"},
		{"no mapping", "- x\n", "f.yaml:1: this must be a mapping with the keys name, about"},
		{"unknown key", "name: x\nruls:\n  - {}\n", `f.yaml:2: unknown key "ruls"; did you mean "rules"?`},
		{"no rules", "name: x\n", "f.yaml:1: rules: the key is missing"},
		{"bad name", "name: My Dialect\nrules:\n  - {ignore: true}\n", `f.yaml:1: name: "My Dialect" is not a name of a dialect`},
		{"key of a rule", head + "  - when: {a: 1}\n    tool_cal: {id: x}\n", `f.yaml:4: rules[0]: unknown key "tool_cal"; did you mean "tool_call"?`},
		{"far from any key", head + "  - {when: {a: 1}, zzzzzzzz: x}\n", `f.yaml:3: rules[0]: unknown key "zzzzzzzz"; known keys: when, each, start`},
		{"key of a usage", head + "  - {usage: {mode: add, inptu: x, output: y}}\n", `f.yaml:3: rules[0].usage: unknown key "inptu"; did you mean "input"?`},
		{"mode missing", head + "  - {usage: {input: x}}\n", `rules[0].usage: the key "mode" is missing: add, last or cumulative`},
		{"mode wrong", head + "  - {usage: {mode: sum, input: x}}\n", `rules[0].usage.mode: "sum" is not one of add, last, cumulative`},
		{"end", head + "  - {end: done}\n", `rules[0].end: "done" is not one of ok, error, cancelled`},
		{"twice", head + "  - {ignore: true}\nname: y\n", `f.yaml:4: the key "name" is here twice`},
		{"does nothing", head + "  - when: {a: 1}\n", "rules[0]: the rule does nothing"},
		{"path", head + "  - {text: 'a..b'}\n", `rules[0].text: "a..b": a name is missing before ".b"`},
		{"bracket", head + "  - {text: 'a[x]'}\n", `rules[0].text: "a[x]": [x] is not one of [0], [*], ["name"]`},
		{"path of a condition", head + "  - {when: {'a[': 1}, ignore: true}\n", "rules[0].when: \"a[\": a [ is without its ]"},
		{"test", head + "  - {when: {a: {equal: 1}}, ignore: true}\n", `rules[0].when.a: unknown key "equal"; did you mean "equals"?`},
		{"regex", head + "  - {when: {a: {regex: '('}}, ignore: true}\n", "rules[0].when.a.regex: error parsing regexp"},
		{"alias", head + "  - &a {ignore: true}\n  - *a\n", "anchors and aliases"},
		{"too large", "name: x\nabout: " + strings.Repeat("x", custom.MaxFile), "a dialect file has at most 262144 bytes"},
		{"match", "name: x\nmatch: {a: 1}\nrules:\n  - {ignore: true}\n", "f.yaml:2: match: this must be a list of 1 to 50 elements"},
	} {
		_, err := custom.Parse("f.yaml", []byte(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestManyProblems checks that all problems are reported, up to a bound.
func TestManyProblems(t *testing.T) {
	_, err := custom.Parse("f.yaml", []byte("name: x\nrules:\n"+strings.Repeat("  - {txt: a}\n", 100)))
	if n := strings.Count(err.Error(), "\n"); err == nil || n != 20 {
		t.Errorf("%d lines: %v", n, err)
	}
}
