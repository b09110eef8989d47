package claudecode_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/claudecode"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// usage has the members of the API's usage that occur in the captures.
type usage struct {
	Input   uint64 `json:"input_tokens"`
	Output  uint64 `json:"output_tokens"`
	Read    uint64 `json:"cache_read_input_tokens"`
	Written uint64 `json:"cache_creation_input_tokens"`
}

// captureLine is a line of a capture.
type captureLine struct {
	Type    string
	Session string `json:"session_id"`
	Usage   usage
	Event   struct {
		Type    string
		Message struct{ ID string }
		Usage   usage
	}
	Message struct {
		ID      string
		Usage   usage
		Content json.RawMessage
	}
}

// lines reads a capture without the dialect.
func lines(t *testing.T, file string) (all []captureLine) {
	for text := range bytes.Lines(dialecttest.Fixture(t, file)) {
		var l captureLine
		if json.Unmarshal(text, &l) == nil {
			all = append(all, l)
		}
	}
	return all
}

func play(t *testing.T, file string) *dialecttest.Outcome {
	frames := capturetest.Cut(t, file, "")
	return dialecttest.CutAnywhere(t, claudecode.Dialect, frames, frames[len(frames)-1].At)
}

// of converts tokens to the API's members.
func of(t schema.Tokens) usage {
	return usage{t.Input, t.Output + t.Reasoning, t.CacheRead, t.CacheWrite5m + t.CacheWrite1h}
}

// The message that calls Read has the usage of its message_delta, not that of its start, which
// the lines with its blocks repeat.
func TestReadToolOutputIs148(t *testing.T) {
	const file = "claude_code/partial_messages_tool.jsonl"
	var id string
	var want, placeholder usage
	current := ""
	for _, l := range lines(t, file) {
		switch {
		case l.Event.Type == "message_start":
			current = l.Event.Message.ID
		case l.Type == "assistant" && bytes.Contains(l.Message.Content, []byte(`"name":"Read"`)):
			id, placeholder = l.Message.ID, l.Message.Usage
		case l.Event.Type == "message_delta" && current == id && id != "":
			want = l.Event.Usage
			id = current
			current = ""
		}
	}
	if want.Output != 148 || placeholder.Output != 4 {
		t.Fatalf("the capture has %d and %d, not 148 and 4", want.Output, placeholder.Output)
	}
	found := 0
	for _, u := range play(t, file).Facts.Usages {
		if u.Scope != id {
			continue
		}
		found++
		if of(u.Tokens) != want {
			t.Errorf("%+v, want %+v", u.Tokens, want)
		}
	}
	if found != 1 {
		t.Errorf("%d usages of the message %s, want 1", found, id)
	}
}

// The usages of a run sum up to what its result states, counted once: with partial messages,
// where the events have all of it; without, where the lines have placeholders; and where the
// result is less than the sum of its messages.
func TestRunTotalCountedOnce(t *testing.T) {
	for _, file := range []string{
		"claude_code/partial_messages_tool.jsonl", "claude_code/tool_read_v2.jsonl", "claude_code/two_sessions_one_file.jsonl",
	} {
		t.Run(file, func(t *testing.T) {
			want, got := map[string]usage{}, map[string]usage{}
			for _, l := range lines(t, file) {
				if l.Type == "result" {
					want[l.Session] = l.Usage
				}
			}
			if file == "claude_code/partial_messages_tool.jsonl" {
				if only := want["c9f2f2c6-2a90-4cd3-96c0-d36dc6367126"]; only.Input != 16 || only.Output != 166 {
					t.Fatalf("the capture's result is %+v, not 16 and 166", only)
				}
			}
			for _, u := range play(t, file).Facts.Usages {
				sum, tokens := got[u.Session], of(u.Tokens)
				got[u.Session] = usage{
					sum.Input + tokens.Input, sum.Output + tokens.Output, sum.Read + tokens.Read, sum.Written + tokens.Written,
				}
				if u.Mode != schema.UsageAdd {
					t.Errorf("usage %s has the mode %s", u.ID, u.Mode)
				}
			}
			for session, total := range want {
				if got[session] != total {
					t.Errorf("session %s: %+v, but its result states %+v", session, got[session], total)
				}
			}
			if len(want) != len(got) || len(want) == 0 {
				t.Errorf("%d sessions with usage, %d with a result", len(got), len(want))
			}
		})
	}
}
