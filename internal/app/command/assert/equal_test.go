package assert

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// Values of YAML are compared with those of JSON by the rules of JSON: a date is text, the digits of
// whole numbers count, and other numbers are equal in any notation.
func TestEqualJSON(t *testing.T) {
	for _, tc := range []struct {
		yaml, json string
		equal      bool
	}{
		{"2026-03-29", `"2026-03-29"`, true},
		{"[2026-03-29T10:00:00Z]", `["2026-03-29T10:00:00Z"]`, true},
		{"'2026-03-29'", `"2026-03-29"`, true},
		{"9007199254740993", "9007199254740993", true},
		{"9007199254740993", "9007199254740992", false},
		{"1.5", "1.50", true},
		{"1.0", "1", true},
		{"100", "1e2", true},
		{"1", `"1"`, false},
		{"{a: 1, b: [x, null]}", `{"b":["x",null],"a":1}`, true},
		{"{a: 1}", `{"a":1,"b":2}`, false},
		{"true", "true", true},
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(tc.yaml), &n); err != nil {
			t.Fatal(err)
		}
		want, err := jsonValue(n.Content[0])
		if err != nil {
			t.Errorf("%s: %v", tc.yaml, err)
			continue
		}
		a := Argument{Equals: &want}
		if got := a.matches([]byte(tc.json)); got != tc.equal {
			t.Errorf("%s and %s: %v", tc.yaml, tc.json, got)
		}
	}
}
