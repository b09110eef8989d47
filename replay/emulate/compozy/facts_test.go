package compozy_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Without facts, as in a file that was cut off, frames of any protocol are passed on as
// they are.
func TestWithoutFacts(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "loom").Add(0, `{"type":"message_chunk","content":"hi"}`+"\n").Add(0, "plain\n")
	synctest.Test(t, func(t *testing.T) {
		_, got := get(t, et.ServePipe(t, handler(tape)), "tasks/session/stream?speed=max")
		all := strings.Join(got, "")
		for _, want := range []string{
			`event: structured_delta` + "\n" + `data: {"partial":{"type":"message_chunk","content":"hi"}`,
			"id: 2\nevent: llm_chunk\ndata: plain\n\n", "id: 3\nevent: complete\n",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%q is not in %q", want, all)
			}
		}
	})
}

// In a running session an event is sent once all that comes before it is stored, so that
// its id never changes: here the call follows text that may still grow.
func TestGrowingText(t *testing.T) {
	chunk := `{"type":"message_chunk","content":"%","id":"think"}` + "\n"
	call := `{"type":"tool_call","name":"ls","arguments":{}}` + "\n"
	stored := func(frames, facts int) *replaytest.Tape {
		tape := &replaytest.Tape{Running: true}
		s := tape.Stream(schema.NDJSON, "loom")
		for i, line := range []string{strings.Replace(chunk, "%", "a", 1), strings.Replace(chunk, "%", "b", 1), call}[:frames] {
			s.Add(time.Duration(i)*time.Millisecond, line)
		}
		tape.Decode = func(s *schema.StreamState, list []schema.Frame) block.Facts {
			all := dialectstest.Decode(s, list)
			if facts < frames { // a message that grows is stored later than what follows it
				all.Messages[0] = dialectstest.Decode(s, list[:facts]).Messages[0]
			}
			return all
		}
		return tape
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			frames, facts int
			want          string
		}{
			{1, 1, "a"}, {3, 1, "a"}, {3, 3, "a b"},
		} {
			_, got := get(t, et.ServePipe(t, handler(stored(tc.frames, tc.facts))), "tasks/session/stream?speed=max")
			var texts []string
			for event := range strings.SplitSeq(strings.Join(got, ""), "\n\n") {
				if _, text, ok := strings.Cut(event, "event: llm_chunk\ndata: "); ok {
					texts = append(texts, text)
				}
			}
			if calls := strings.Count(strings.Join(got, ""), "tool_call"); strings.Join(texts, " ") != tc.want || calls > 0 {
				t.Errorf("%d frames, facts of %d: %q", tc.frames, tc.facts, got)
			}
		}
	})
}
