package normalise_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/compare/normalise"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, text, arguments, result string }{
		{"none", "read 12 files", "read 12 files", "read 12 files"},
		{"uuid", "of 019cad0a-0000-7000-8000-00000000000F.", "of <uuid>.", "of <uuid>."},
		{"longer than a uuid", "019cad0a-0000-7000-8000-00000000000F0", "019cad0a-0000-7000-8000-00000000000F0", "019cad0a-0000-7000-8000-00000000000F0"},
		{"provider's ids", "toolu_01A09q90qw90lq917835lq9 chatcmpl-B9MBs8CjcvOU2jLn4n570S5q", "<id> <id>", "<id> <id>"},
		{"names that look like ids", "run_tests call_me msg_0123 item_number_of_2024", "run_tests call_me msg_0123 item_number_of_2024", "run_tests call_me msg_0123 item_number_of_2024"},
		{"date and time", "at 2026-11-23T13:00:03.25Z and 2026-11-23 13:00:03+01:00", "at <time> and <time>", "at <time> and <time>"},
		{"a date alone counts", "since 2026-11-23", "since 2026-11-23", "since 2026-11-23"},
		{"time of day", "[13:00:03] ok, at 9:15", "[<time>] ok, at 9:15", "[<time>] ok, at 9:15"},
		{"duration", "ok  pkg 0.012s, wait 5s", "ok  pkg 0.012s, wait 5s", "ok  pkg <duration>, wait 5s"},
		{"white space at the ends", " a \n", "a", "a"},
		{"at its end", "12:00:0", "12:00:0", "12:00:0"},
	} {
		n := &normalise.Normaliser{Ignore: true}
		if got := n.Text(tc.text, normalise.Arguments); got != tc.arguments {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.arguments)
		}
		if got := n.Text(tc.text, normalise.Result); got != tc.result {
			t.Errorf("%s, as a result: %q, want %q", tc.name, got, tc.result)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, tc := range []struct{ name, a, b string }{
		{"order and white space", `{"b": [1, 2], "a": "x"}`, `{"a":"x","b":[1,2]}`},
		{"escapes", `{"a":"\u0078"}`, `{"a":"x"}`},
		{"numbers", `[1.0, 1e2]`, `[1,100]`},
		{"ids and times", `{"id":"call_abcdefghijklmnop12","at":"2026-01-01T00:00:00Z"}`, `{"id":"call_qrstuvwxyzabcdef34","at":"2025-01-01T09:00:00Z"}`},
		{"members named for a time", `{"created_at":1764000000,"timestamp":1764000000123}`, `{"created_at":1764000099,"timestamp":1764000000999}`},
	} {
		n := &normalise.Normaliser{Ignore: true}
		a, okA := n.JSON(tc.a, normalise.Arguments)
		b, okB := n.JSON(tc.b, normalise.Arguments)
		if !okA || !okB || a != b {
			t.Errorf("%s: %s and %s", tc.name, a, b)
		}
	}
	for _, tc := range []struct{ name, a, b string }{
		{"numbers that a float does not distinguish", `{"n":12345678901234567890}`, `{"n":12345678901234567891}`},
		{"a plain id", `{"id":41}`, `{"id":42}`},
		{"a duration that is asked for", `{"duration_ms":5}`, `{"duration_ms":6}`},
		{"a string and a number", `["1"]`, `[1]`},
	} {
		n := &normalise.Normaliser{Ignore: true}
		a, _ := n.JSON(tc.a, normalise.Arguments)
		b, _ := n.JSON(tc.b, normalise.Arguments)
		if a == b {
			t.Errorf("%s: both %s", tc.name, a)
		}
	}
	for _, text := range []string{"", "{", "{} {}", "plain"} {
		if got, ok := new(normalise.Normaliser).JSON(text, normalise.Result); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestCounts(t *testing.T) {
	n := &normalise.Normaliser{Ignore: true, Counts: map[normalise.Rule]int{}}
	n.Text("019cad0a-0000-7000-8000-000000000000 12:00:00 12:00:01", normalise.Result)
	if d := cmp.Diff(map[normalise.Rule]int{normalise.UUID: 1, normalise.Time: 2}, n.Counts); d != "" {
		t.Error(d)
	}
	if got := new(normalise.Normaliser).Text("12:00:00", normalise.Result); got != "12:00:00" {
		t.Errorf("with nothing ignored: %s", got)
	}
}
