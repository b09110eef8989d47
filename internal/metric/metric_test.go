package metric

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{
		"tapedeck_a_seconds": "seconds", "tapedeck_a_seconds_total": "seconds", "tapedeck_a_bytes": "bytes",
		"tapedeck_a_timestamp_seconds": "seconds", "tapedeck_blocks_total": "", "tapedeck_a": "",
	} {
		if got := (Definition{Name: name}).Unit(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestReference(t *testing.T) {
	page := Reference([]Definition{
		{Any, CounterKind, "tapedeck_http_things_total", "Things, a | b.", []string{"route", "code"}},
		{Sink, GaugeKind, "tapedeck_unheard_of_seconds", "Age.", nil},
	})
	for _, want := range []string{
		"\n## HTTP\n| metric |", "| `tapedeck_http_things_total` | counter | – | `route`, `code` | any | Things, a \\| b. |\n",
		"\n## Other\n", "| `tapedeck_unheard_of_seconds` | gauge | seconds | – | sink | Age. |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "## Limits") {
		t.Error("the page has a section without metrics")
	}
}

func TestDefineTwice(t *testing.T) {
	name := fmt.Sprintf("tapedeck_test_twice_%d", time.Now().UnixNano())
	Define(Any, GaugeKind, name, "Once.")
	defer func() {
		if recover() == nil {
			t.Error("a second metric of the name was declared")
		}
	}()
	Define(Any, GaugeKind, name, "Twice.")
}
