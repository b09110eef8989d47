package geminicli

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// Two processes of one session each report the sum of their own calls by model. Both are added,
// no sum counts in addition to its parts, and nothing of the stated totals is missing.
func TestProcessesAreAdded(t *testing.T) {
	type stats struct{ input, cached, output, thoughts int }
	processes := []map[string]stats{
		{"gemini-3-pro": {23678, 8114, 102, 872}, "gemini-2.5-flash-lite": {100, 0, 3, 0}},
		{"gemini-3-pro": {30000, 20000, 50, 1}},
	}
	members := func(s stats) string {
		return fmt.Sprintf(`"total_tokens":%d,"input_tokens":%d,"output_tokens":%d,"cached":%d,"input":%d`,
			s.input+s.output+s.thoughts, s.input, s.output, s.cached, s.input-s.cached)
	}
	var want schema.Tokens
	var lines []string
	for _, process := range processes {
		var sum stats
		models := ""
		for name, s := range process {
			sum = stats{sum.input + s.input, sum.cached + s.cached, sum.output + s.output, sum.thoughts + s.thoughts}
			models += fmt.Sprintf(`,%q:{%s}`, name, members(s))
		}
		want.Input += uint64(sum.input - sum.cached)
		want.CacheRead += uint64(sum.cached)
		want.Output += uint64(sum.output)
		want.Reasoning += uint64(sum.thoughts)
		lines = append(lines, `{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"s","model":"auto"}`,
			fmt.Sprintf(`{"type":"result","status":"success","stats":{%s,"models":{%s}}}`, members(sum), models[1:]))
	}
	var frames []schema.Frame
	for i, line := range lines {
		frames = append(frames, schema.Frame{Seq: uint64(i), At: dialecttest.Start + int64(i+1)*1e6, Raw: []byte(line + "\n")})
	}
	o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, false })
	if err != nil {
		t.Fatal(err)
	}
	var got schema.Tokens
	scopes := map[string]bool{}
	for _, u := range o.Facts.Usages {
		got.Input += u.Tokens.Input
		got.CacheRead += u.Tokens.CacheRead
		got.Output += u.Tokens.Output
		got.Reasoning += u.Tokens.Reasoning
		if u.Mode != schema.UsageAdd || scopes[u.Scope] || u.Total != u.Tokens.Sum() {
			t.Errorf("usage %+v", u)
		}
		scopes[u.Scope] = true
	}
	if got != want || len(o.Facts.Usages) != 3 {
		t.Errorf("%d usages, %+v; want 3, %+v", len(o.Facts.Usages), got, want)
	}
}
