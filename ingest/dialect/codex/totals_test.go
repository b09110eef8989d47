package codex

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// process returns the lines of one "codex exec" of a thread, with a turn for each total.
func process(thread string, totals ...[3]uint64) []schema.Frame {
	lines := []string{fmt.Sprintf(`{"type":"thread.started","thread_id":%q}`, thread)}
	for i, n := range totals {
		lines = append(lines, `{"type":"turn.started"}`,
			fmt.Sprintf(`{"type":"item.completed","item":{"id":"item_%d","type":"agent_message","text":"ok"}}`, i),
			fmt.Sprintf(`{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d}}`, n[0], n[1], n[2]))
	}
	var frames []schema.Frame
	for i, line := range lines {
		frames = append(frames, schema.Frame{Seq: uint64(i), At: dialecttest.Start + int64(i+1)*1e6, Raw: []byte(line + "\n")})
	}
	return frames
}

// Every turn states its thread's total so far, also after a resume, which is another stream of
// the session: usages are running totals of the thread, recorded as they were sent. A test of the
// same name beside the commands shows that readers take the differences.
func TestCodexTotalsAreDifferenced(t *testing.T) {
	const thread = "019f61b2-c5f2-71e1-9ee9-957c9d231fe3"
	streams := [][]schema.Frame{
		process(thread, [3]uint64{16504, 9000, 0}, [3]uint64{85681, 70000, 0}),
		process(thread, [3]uint64{103779, 80000, 0}),
	}
	var records []schema.Usage
	for _, frames := range streams {
		o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, false })
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, o.Facts.Usages...)
	}
	want := []struct{ input, cached uint64 }{{16504 - 9000, 9000}, {85681 - 70000, 70000}, {103779 - 80000, 80000}}
	if len(records) != len(want) {
		t.Fatalf("%d records, want %d", len(records), len(want))
	}
	for i, u := range records {
		tokens := schema.Tokens{Input: want[i].input, CacheRead: want[i].cached}
		if u.Mode != schema.UsageRunning || u.Scope != "thread:"+thread || u.Session != thread || u.Tokens != tokens {
			t.Errorf("record %d: %s of %s in %s, %+v; want %+v", i, u.Mode, u.Scope, u.Session, u.Tokens, tokens)
		}
		if !strings.Contains(u.Raw, fmt.Sprint(want[i].input+want[i].cached)) {
			t.Errorf("record %d does not keep what was sent: %s", i, u.Raw)
		}
	}
}

// Another thread in the same stream has a total of its own.
func TestThreadsCountForThemselves(t *testing.T) {
	frames := process("a", [3]uint64{100, 0, 1})
	for _, f := range process("b", [3]uint64{50, 0, 1}) {
		f.Seq = uint64(len(frames))
		f.At += 1e9
		frames = append(frames, f)
	}
	o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return false, false })
	if err != nil {
		t.Fatal(err)
	}
	if u := o.Facts.Usages; len(u) != 2 || u[0].Scope != "thread:a" || u[1].Scope != "thread:b" || u[1].Tokens.Input != 50 {
		t.Errorf("%+v", u)
	}
}
