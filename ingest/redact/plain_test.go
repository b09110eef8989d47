package redact

import (
	"strings"
	"testing"

	"tapedeck/schema"
)

// A text that Text returns without a scan has no secret that a scan finds, in JSON and beside escapes too.
func TestTextWithoutScan(t *testing.T) {
	engine := Default()
	scanned := func(s string) string {
		f := schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(s)}
		engine.NewMasker().Push(&f, func(*schema.Frame) {})
		return string(f.Raw)
	}
	masked := 0
	for _, r := range Rules() {
		for _, text := range []string{example(r.Example, 7), example(r.Near, 7), strings.Repeat("a", 40)} {
			for _, around := range []string{`{"a":"%"}`, `[{"type":"text","content":"see % now"}]`, `{"password":"%"}`, `{"a":"\u0041%\n"}`, "password=%", "ab%"} {
				in := strings.Replace(around, "%", text, 1)
				want := scanned(in)
				if got := engine.NewMasker().Text(in); got != want {
					t.Errorf("%q became %q, scanned %q", in, got, want)
				}
				if want != in {
					masked++
				}
			}
		}
	}
	if masked < 3*len(Rules()) {
		t.Errorf("%d texts have a secret", masked)
	}
}
