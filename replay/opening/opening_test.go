package opening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/replay"
	"tapedeck/replay/opening"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// taped returns a tape of events of a dialect, one each second; their type is the member "type".
func taped(dialect string, events ...string) *replaytest.Tape {
	t := &replaytest.Tape{}
	s := t.Stream(schema.SSE, dialect)
	for i, e := range events {
		var of struct{ Type string }
		if err := json.Unmarshal([]byte(e), &of); err != nil {
			panic(err)
		}
		s.Add(time.Duration(i)*time.Second, "data: "+e+"\n\n", func(f *schema.Frame) { f.Type = of.Type })
	}
	return t
}

// from is the place of the n-th frame.
func from(t *replaytest.Tape, n int) replay.Place {
	return replay.Place{Position: t.Frames()[n].Position()}
}

// numbers returns the numbers of the frames that precede the n-th.
func numbers(t *testing.T, tape *replaytest.Tape, n int) string {
	t.Helper()
	at := from(tape, n)
	frames, err := opening.Frames(t.Context(), tape, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range frames {
		if f.At != at.Position.At || string(f.Raw) != string(tape.Frames()[f.Seq].Raw) {
			t.Errorf("frame %d at %d: %s", f.Seq, f.At, f.Raw)
		}
		list = append(list, fmt.Sprint(f.Seq))
	}
	return strings.Join(list, " ")
}

// The expectations are written from the rules of the protocols: what must precede a frame so that a client accepts it.
func TestFrames(t *testing.T) {
	for name, tc := range map[string]struct {
		tape *replaytest.Tape
		want map[int]string
	}{
		"AG-UI": {taped("ag-ui",
			`{"type":"RUN_STARTED","runId":"1"}`,
			`{"type":"STATE_SNAPSHOT","snapshot":{}}`,
			`{"type":"STEP_STARTED","stepName":"plan"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"a"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"x"}`,
			`{"type":"TOOL_CALL_START","toolCallId":"t"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
			`{"type":"STATE_DELTA","delta":[]}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"t","delta":"{"}`,
			`{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`,
			`{"type":"TOOL_CALL_END","toolCallId":"t"}`,
			`{"type":"STEP_FINISHED","stepName":"plan"}`,
			`{"type":"RUN_FINISHED","runId":"1"}`,
			`{"type":"RUN_STARTED","runId":"2"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"a"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"b"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
			`{"type":"RUN_ERROR"}`,
		), map[int]string{
			0: "", 1: "0", 3: "0 1 2", 4: "0 1 2 3", 6: "0 1 2 3 5", 8: "0 1 2 5 7", 10: "0 2 5 8 9", 12: "0 9",
			13: "", 14: "13", 16: "13 14 15", 17: "13 15",
		}},
		"AI SDK": {taped("vercel-ui",
			`{"type":"start"}`,
			`{"type":"start-step"}`,
			`{"type":"text-start","id":"0"}`,
			`{"type":"text-delta","id":"0","delta":"x"}`,
			`{"type":"text-end","id":"0"}`,
			`{"type":"tool-input-start","toolCallId":"c","toolName":"w"}`,
			`{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{}"}`,
			`{"type":"tool-input-available","toolCallId":"c","toolName":"w","input":{}}`,
			`{"type":"tool-output-available","toolCallId":"c","output":0,"preliminary":true}`,
			`{"type":"tool-output-available","toolCallId":"c","output":1}`,
			`{"type":"finish-step"}`,
			`{"type":"finish"}`,
		), map[int]string{1: "0", 3: "0 1 2", 5: "0 1", 6: "0 1 5", 8: "0 1 7", 9: "0 1 7 8", 10: "0 1", 11: "0"}},
		"Anthropic": {taped("anthropic-messages",
			`{"type":"message_start"}`,
			`{"type":"content_block_start","index":0}`,
			`{"type":"content_block_delta","index":0}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1}`,
			`{"type":"content_block_delta","index":1}`,
			`{"type":"message_stop"}`,
			`{"type":"message_start"}`,
		), map[int]string{2: "0 1", 4: "0 1 3", 5: "0 1 3 4", 7: ""}},
		"Anthropic, input of a tool": {taped("anthropic-messages",
			`{"type":"message_start"}`,
			`{"type":"content_block_start","index":0}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta"}`,
		), map[int]string{6: "0 1 3 4 5", 7: "0 1 3 4 5 6", 8: "0 1 3 4 5 6 7"}},
		"AG-UI, chunks": {taped("ag-ui",
			`{"type":"RUN_STARTED"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"x"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`,
			`{"type":"ACTIVITY_SNAPSHOT","messageId":"s"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"z"}`,
			`{"type":"TOOL_CALL_CHUNK","toolCallId":"t","toolCallName":"w","delta":"{"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","subagentRunId":"s","delta":"in"}`,
			`{"type":"TOOL_CALL_CHUNK","delta":"}"}`,
			`{"type":"STATE_DELTA","delta":[]}`,
			`{"type":"TEXT_MESSAGE_CHUNK","delta":"of nothing"}`,
			`{"type":"TEXT_MESSAGE_CHUNK","subagentRunId":"s","delta":"ner"}`,
			`{"type":"RUN_FINISHED"}`,
			`{"type":"X"}`,
		), map[int]string{
			2: "0 1", 4: "0 1 2 3", 5: "0 1 2 3 4", 7: "0 3 5 6", 8: "0 3 5 6 7", 9: "0 3 6", 11: "0 3 6 10", 12: "",
		}},
		"another dialect": {taped("loom", `{"type":"RUN_STARTED"}`, `{"type":"start"}`, `{"type":"x"}`), map[int]string{2: ""}},
		"malformed": {taped("ag-ui",
			`{"type":"TEXT_MESSAGE_START"}`, `{"type":"TEXT_MESSAGE_START","messageId":[1]}`, `{"type":"STATE_DELTA"}`,
			`{"type":"TOOL_CALL_END","toolCallId":"?"}`, `{"type":"X"}`,
		), map[int]string{4: "0 1"}},
	} {
		for n, want := range tc.want {
			if got := numbers(t, tc.tape, n); got != want {
				t.Errorf("%s: before frame %d: %q, want %q", name, n, got, want)
			}
		}
	}
}

// A frame that arrived with the first one is in the middle, too: one read often brings several events.
func TestSameTime(t *testing.T) {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.SSE, "ag-ui")
	for _, name := range []string{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END"} {
		s.Add(0, `data: {"type":"`+name+`"}`+"\n\n", func(f *schema.Frame) { f.Type = name })
	}
	for n, want := range []string{"", "0", "0 1"} {
		if got := numbers(t, tape, n); got != want {
			t.Errorf("before frame %d: %q, want %q", n, got, want)
		}
	}
}

// Changes of a state are bounded.
func TestTooLarge(t *testing.T) {
	events := []string{`{"type":"RUN_STARTED"}`, `{"type":"STATE_SNAPSHOT"}`}
	for range 9 {
		events = append(events, `{"type":"STATE_DELTA","delta":"`+strings.Repeat("x", 1<<20)+`"}`)
	}
	tape := taped("ag-ui", append(events, `{"type":"RUN_FINISHED"}`)...)
	if _, err := opening.Frames(t.Context(), tape, from(tape, len(events)), nil); !errors.Is(err, opening.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if frames, err := opening.Frames(t.Context(), tape, from(tape, 7), nil); err != nil || len(frames) != 7 {
		t.Errorf("%d frames, %v", len(frames), err)
	}
}

// Only a reader that begins at the place has the frames before it.
func TestBefore(t *testing.T) {
	tape := taped("vercel-ui", `{"type":"start"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0"}`, `{"type":"finish"}`)
	at := from(tape, 2)
	first, err := opening.Frames(t.Context(), tape, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := opening.Before(tape, at, first)
	for place, want := range map[replay.Place][]uint64{at: {0, 1, 2, 3}, from(tape, 3): {3}, {}: {0, 1, 2, 3}, {Position: at.Position, After: true}: {3}} {
		if diff := cmp.Diff(want, read(t, wrapped, place)); diff != "" {
			t.Errorf("from %v: %s", place, diff)
		}
	}
	if tape.Open() != 0 {
		t.Errorf("%d readers are open", tape.Open())
	}
}

func read(t *testing.T, tape replay.Tape, place replay.Place) (numbers []uint64) {
	t.Helper()
	r, err := tape.Read(context.Background(), replay.Query{From: place})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		frames, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return numbers
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			numbers = append(numbers, f.Seq)
		}
	}
}
