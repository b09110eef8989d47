package dialects_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/dialecttest"
)

// foreign has events of no protocol, which servers and gateways send between the events of one.
var foreign = map[string]event{
	"an object":              {"message", `{"note":"x"}`},
	"an object with a type":  {"message", `{"type":"message","note":"x"}`},
	"progress":               {"progress", `{"type":"progress","data":{"x":1}}`},
	"a ping":                 {"ping", `{"type":"ping"}`},
	"an object without data": {"", "{}"},
	"a number":               {"n", "7"},
	"text":                   {"log", "hello"},
}

// Foreign events between the events of a captured stream do not change its facts.
func TestFixturesAmongForeignEvents(t *testing.T) {
	write := framings["SSE with events"]
	for _, name := range dialecttest.Fixtures(t) {
		if slices.Contains(bound, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			all := events(t, name)
			want := recordBytes(t, []byte(write(all))).lines()
			for what, f := range foreign {
				mixed := alternating(all, slices.Repeat([]event{f}, len(all)-1))
				if diff := cmp.Diff(want, recordBytes(t, []byte(write(mixed))).lines()); diff != "" {
					t.Errorf("%s after each event (-alone +mixed):\n%s", what, diff)
				}
			}
		})
	}
}
