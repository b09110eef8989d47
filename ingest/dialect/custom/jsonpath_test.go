package custom

import (
	"fmt"
	"testing"
)

func TestPathValues(t *testing.T) {
	const text = `{"a": {"b": [{"c": 1}, {"c": "x"}, {}]}, "d.e": true, "n": null}`
	for path, want := range map[string]string{
		"a.b[0].c": `["1"]`, "a.b[*].c": `["1" "\"x\""]`, `["d.e"]`: `["true"]`, "$.a.b[1].c": `["\"x\""]`,
		"n": "[]", "a.z": "[]", "a.b[9]": "[]", "a.*": "[]",
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := fmt.Sprintf("%q", p.Values([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if got := p.Values([]byte(text[:20])); len(got) != 0 {
			t.Errorf("%s has values in a text that is cut: %q", path, got)
		}
	}
	for _, path := range []string{"", "$event", "$id", "=text", "a.", "a[x]"} {
		if _, err := ParsePath(path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}
