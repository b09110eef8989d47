package httpreplay_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// post posts to a path and returns the body, and whether it broke off.
func post(t *testing.T, address, body string) (text string, broken bool) {
	t.Helper()
	res, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	return string(got), err != nil
}

// An answer that was recorded without its request breaks off where it did, and then has no end
// marker that the server did not send.
func TestCapturedEnds(t *testing.T) {
	const chunk, done = "data: {\"id\":\"1\"}\n\n", "data: [DONE]\n\n"
	unterminated := func(f *schema.Frame) { f.Flags |= schema.FlagUnterminated }
	for _, tc := range []struct {
		name, last, reason, want string
		broken                   bool
	}{
		{"complete", "", schema.EndEOF, chunk + done, false},
		{"continued in another session", "", "left", chunk + done, false},
		{"reset", "", "error: the upstream cut the connection: reset", chunk, true},
		{"left by its client", "", schema.EndClientGone, chunk, false},
		{"cut off inside of an event", "data: {\"id\":\"1\",\"choi", schema.EndEOF, chunk + "data: {\"id\":\"1\",\"choi", false},
		{"without the last blank line", "data: {\"id\":\"1\"}\n", schema.EndEOF, chunk + "data: {\"id\":\"1\"}\n\n\n" + done, false},
	} {
		tape := &replaytest.Tape{}
		s := tape.Stream(schema.SSE, "openai-chat").Ended(tc.reason).
			Add(0, "data: {\"id\":\"0\"}\n\n", et.Typed("chat.completion.chunk", "0")).Add(0, done, et.Typed("[DONE]", "0")).
			Add(0, chunk, et.Typed("chat.completion.chunk", "1"))
		if tc.last != "" {
			s.Add(0, tc.last, et.Typed("", "1"), unterminated)
		}
		base := et.Serve(t, handler(tape))
		if got, broken := post(t, base+"/v1/chat/completions?speed=max", "{}"); got != "data: {\"id\":\"0\"}\n\n"+done || broken {
			t.Errorf("%s: the answer before it: %q, broken %t", tc.name, got, broken)
		}
		if got, broken := post(t, base+"/v1/chat/completions?speed=max", "{}"); got != tc.want || broken != tc.broken {
			t.Errorf("%s: %q, broken %t, want %q, %t", tc.name, got, broken, tc.want, tc.broken)
		}
	}
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "openai-chat").Add(0, "{\"id\":\"1\"}\n").Add(0, "{\"id\":\"1\",\"choi", unterminated)
	if got, _ := post(t, et.Serve(t, handler(tape))+"/v1/chat/completions?speed=max", "{}"); got != chunk {
		t.Errorf("lines that were cut off: %q", got)
	}
}

// The answers of a stream are separated by the last event of each.
func TestCapturedAnswers(t *testing.T) {
	for _, tc := range []struct {
		dialect string
		frames  []captured
		answers []string
	}{
		{"ollama", []captured{
			{kind: "chat", raw: "{\"a\":1}\n"}, {kind: "chat", raw: "{\"done\":true}\n"}, {kind: "chat", raw: "{\"a\":2}\n"}, {kind: "error", raw: "{\"error\":\"x\"}\n"},
		}, []string{"{\"a\":1}\n{\"done\":true}\n", "{\"a\":2}\n{\"error\":\"x\"}\n"}},
		{"a2a", []captured{
			{kind: "status-update", raw: `{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","status":{"state":"working"}}}`},
			{kind: "status-update", raw: `{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","final":true,"status":{"state":"input-required"}}}`},
			{kind: "statusUpdate", raw: `{"jsonrpc":"2.0","id":2,"result":{"statusUpdate":{"status":{"state":"TASK_STATE_COMPLETED"}}}}`},
			{kind: "message", raw: `{"jsonrpc":"2.0","id":3,"result":{"kind":"message"}}`},
		}, []string{"working input-required", "TASK_STATE_COMPLETED", "message"}},
		{"bedrock", []captured{
			{kind: "messageStart", raw: `{"messageStart":{"role":"assistant"}}`}, {kind: "metadata", raw: `{"metadata":{"n":1}}`},
			{kind: "messageStart", raw: `{"messageStart":{"role":"assistant"}}`}, {kind: "metadata", raw: `{"metadata":{"n":2}}`},
		}, []string{`{"n":1}`, `{"n":2}`}},
	} {
		tape := &replaytest.Tape{}
		transport := schema.SSE
		if tc.dialect == "ollama" {
			transport = schema.NDJSON
		}
		s := tape.Stream(transport, tc.dialect)
		for _, f := range tc.frames {
			if transport == schema.SSE {
				f.raw = "data: " + f.raw + "\n\n"
			}
			s.Add(0, f.raw, et.Typed(f.kind, ""))
		}
		base := et.Serve(t, handler(tape))
		for i, want := range tc.answers {
			got, _ := post(t, base+"/x?speed=max&end=stop", `{}`)
			for part := range strings.SplitSeq(want, " ") {
				if !strings.Contains(got, part) {
					t.Errorf("%s, answer %d: %s has no %s", tc.dialect, i, got, part)
				}
			}
			if next := tc.answers[(i+1)%len(tc.answers)]; strings.Contains(got, next) {
				t.Errorf("%s, answer %d has the next one: %s", tc.dialect, i, got)
			}
		}
		if got, _ := post(t, base+"/x?speed=max&end=stop", `{}`); !strings.Contains(got, "Nothing left to play") {
			t.Errorf("%s has one more: %s", tc.dialect, got)
		}
	}
}
