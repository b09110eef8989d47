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

// What takes several frames to know is known from the facts: calls whose arguments come in
// pieces without an end, repeated messages, and errors in full.
func TestFromFacts(t *testing.T) {
	for dialect, tc := range map[string]struct{ frames, want []string }{
		"ag-ui": {
			[]string{
				`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
				`{"type":"TOOL_CALL_CHUNK","toolCallId":"1","toolCallName":"search","delta":"{\"q\":"}`,
				`{"type":"TOOL_CALL_CHUNK","toolCallId":"1","delta":"1}"}`,
				`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
			},
			[]string{`tool_call {"toolName":"search","args":{"q":1}`, `complete {"status":"SUCCESS"`},
		},
		"gemini-cli": {
			[]string{
				`{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","role":"assistant","content":"Two ","delta":true}`,
				`{"type":"message","timestamp":"2026-01-01T00:00:01.010Z","role":"assistant","content":"files.","delta":true}`,
				`{"type":"message","timestamp":"2026-01-01T00:00:01.020Z","role":"assistant","content":"Two files."}`,
			},
			[]string{`llm_chunk Two `, `llm_chunk files.`, `complete {"status":"SUCCESS"`},
		},
		"anthropic-messages": {
			[]string{
				`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
				`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			},
			[]string{`error {"status":"FAILED","message":"overloaded_error: Overloaded"`},
		},
		"loom": {
			[]string{`{"type":"node_enter","id":"act"}`, `{"type":"node_exit","id":"act","result":{"Err":"boom"}}`},
			[]string{`error {"status":"FAILED","message":"boom","error":"boom"`},
		},
	} {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		s := tape.Stream(schema.NDJSON, dialect)
		for i, f := range tc.frames {
			s.Add(time.Duration(i)*time.Millisecond, f+"\n")
		}
		synctest.Test(t, func(t *testing.T) {
			_, reads := get(t, et.ServePipe(t, handler(tape)), "tasks/session/stream?speed=max")
			var got []string
			for event := range strings.SplitSeq(strings.Join(reads, ""), "\n\n") {
				if _, event, ok := strings.Cut(event, "\nevent: "); ok {
					got = append(got, strings.Replace(event, "\ndata: ", " ", 1))
				}
			}
			for i := range max(len(got), len(tc.want)) {
				if len(got) != len(tc.want) || !strings.HasPrefix(got[i], tc.want[i]) {
					t.Errorf("%s: got %q, want %q", dialect, got, tc.want)
					break
				}
			}
		})
	}
}
