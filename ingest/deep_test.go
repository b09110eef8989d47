package ingest_test

import (
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
)

// Valid JSON is never called anything else for its depth, with dialects that parse
// and with those that read the text; and no depth ends the process.
func TestDeepFrames(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	member := `{"type":"message_chunk","content":"x","id":"think","extra":` + deep + "}"
	for _, dialect := range []string{"generic", "loom", "openai-chat", "anthropic-messages", "claude-code"} {
		for text, want := range map[string]schema.Flags{
			deep:                                    schema.FlagTooDeep,
			member:                                  schema.FlagTooDeep,
			deep + "]":                              schema.FlagNotJSON,
			strings.Repeat("[", 4<<20):              schema.FlagNotJSON,
			strings.Repeat(`{"a":`, 1<<20):          schema.FlagNotJSON,
			`{"text":"` + deep + `"}`:               0,
			"[" + strings.Repeat("[],", 500) + "1]": 0,
		} {
			var m ingesttest.Memory
			s, err := ingest.NewRecorder(&m, ingest.Settings{}).Open(ingest.StreamOptions{Session: "s", Dialect: dialect, Transport: schema.NDJSON})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second is read by those that read text
				err := s.Record(t.Context(), &schema.Frame{At: 1, Transport: schema.NDJSON, Raw: []byte(text + "\n")})
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Close(t.Context(), "eof"); err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Frames(s.ID()) {
				if got := f.Flags & (schema.FlagNotJSON | schema.FlagTooDeep); got != want || string(f.Raw) != text+"\n" {
					t.Errorf("%s: %.20s… of %d bytes is marked %q, want %q", dialect, text, len(text), got, want)
				}
			}
		}
	}
}

// JSONDepth bounds what is decoded; what is deeper is recorded as it is, marked and counted.
func TestJSONDepth(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_limits_total")
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tc := range []struct {
		depth, levels int
		want          schema.Flags
	}{{0, 300, 0}, {0, 301, schema.FlagTooDeep}, {20, 20, 0}, {20, 21, schema.FlagTooDeep}} {
		before := ingest.CountedLimit("json-depth")
		var m ingesttest.Memory
		s, err := ingest.NewRecorder(&m, ingest.Settings{JSONDepth: tc.depth}).Open(ingest.StreamOptions{Session: "s", Dialect: "generic", Transport: schema.NDJSON})
		if err != nil {
			t.Fatal(err)
		}
		text := nested(tc.levels) + "\n"
		if err := s.Record(t.Context(), &schema.Frame{At: 1, Transport: schema.NDJSON, Raw: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		sum, err := s.Close(t.Context(), "eof")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Frames(s.ID())[0]
		if got := f.Flags & (schema.FlagNotJSON | schema.FlagTooDeep); got != tc.want || string(f.Raw) != text {
			t.Errorf("%d levels at a limit of %d: marked %q, want %q", tc.levels, tc.depth, got, tc.want)
		}
		deep := float64(0)
		if tc.want != 0 {
			deep = 1
		}
		if n := ingest.CountedLimit("json-depth") - before; n != deep || sum.TooDeep != uint64(deep) {
			t.Errorf("%d levels at a limit of %d: %v are counted, %d in the summary, want %v", tc.levels, tc.depth, n, sum.TooDeep, deep)
		}
	}
}
