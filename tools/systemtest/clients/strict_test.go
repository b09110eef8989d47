package clients

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/fulltest"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// A replay that begins at any frame is accepted by the client of the protocol: AG-UI's own and the AI SDK's, which
// refuse a stream that begins in the middle.
func TestReplayFromAnyFrame(t *testing.T) {
	fulltest.Long(t)
	aguiRun := `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"STATE_SNAPSHOT","snapshot":{"n":0}}
{"type":"STEP_STARTED","stepName":"plan"}
{"type":"REASONING_START","messageId":"q"}
{"type":"REASONING_MESSAGE_START","messageId":"q","role":"reasoning"}
{"type":"REASONING_MESSAGE_CONTENT","messageId":"q","delta":"hm"}
{"type":"REASONING_MESSAGE_END","messageId":"q"}
{"type":"REASONING_END","messageId":"q"}
{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"I "}
{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list","value":[]}]}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"look."}
{"type":"TEXT_MESSAGE_END","messageId":"m"}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"w","parentMessageId":"m"}
{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/-","value":1}]}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"c"}
{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c","content":"1"}
{"type":"STEP_FINISHED","stepName":"plan"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}
{"type":"RUN_STARTED","threadId":"t","runId":"r2"}
{"type":"TEXT_MESSAGE_START","messageId":"m2","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"Done."}
{"type":"TEXT_MESSAGE_END","messageId":"m2"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`
	aiRun := `{"type":"start","messageId":"m"}
{"type":"start-step"}
{"type":"reasoning-start","id":"q"}
{"type":"reasoning-delta","id":"q","delta":"hm"}
{"type":"reasoning-end","id":"q"}
{"type":"text-start","id":"0"}
{"type":"text-delta","id":"0","delta":"I look."}
{"type":"tool-input-start","toolCallId":"c","toolName":"w"}
{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\"q\":"}
{"type":"text-end","id":"0"}
{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"1}"}
{"type":"tool-input-available","toolCallId":"c","toolName":"w","input":{"q":1}}
{"type":"tool-output-available","toolCallId":"c","output":1,"preliminary":true}
{"type":"tool-output-available","toolCallId":"c","output":2}
{"type":"finish-step"}
{"type":"start-step"}
{"type":"text-start","id":"0"}
{"type":"text-delta","id":"0","delta":"2"}
{"type":"text-end","id":"0"}
{"type":"finish-step"}
{"type":"finish"}`
	for _, tc := range []struct {
		client, dialect string
		events          []string
	}{
		{"ag-ui", "ag-ui", strings.Split(aguiRun, "\n")},
		{"ai", "vercel-ui", strings.Split(aiRun, "\n")},
	} {
		t.Run(tc.client, func(t *testing.T) { fromAnyFrame(t, tc.client, tc.dialect, tc.events) })
	}
	for _, name := range []string{"vercel_ui/run_web_search_reasoning.sse", "vercel_ui/tool_error_retry_error.sse"} {
		t.Run(name, func(t *testing.T) {
			var events []string
			for line := range strings.Lines(string(dialecttest.Fixture(t, name))) {
				if data, is := strings.CutPrefix(strings.TrimSpace(line), "data: "); is && data != "[DONE]" {
					events = append(events, data)
				}
			}
			fromAnyFrame(t, "ai", "vercel-ui", events)
		})
	}
}

// fromAnyFrame replays events from each of them on, to a client.
func fromAnyFrame(t *testing.T, client, dialect string, events []string) {
	t.Helper()
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	s := tape.Stream(schema.SSE, dialect)
	for i, e := range events {
		s.Add(time.Duration(i)*time.Second, "data: "+e+"\n\n")
	}
	mux := http.NewServeMux()
	replays := replayhttp.New(replayhttp.Options{Library: tape, Alarm: player.TimerAlarm, Logger: slog.New(slog.DiscardHandler)})
	mux.HandleFunc("GET /{id}", func(w http.ResponseWriter, r *http.Request) { replays.Replay(w, r, "default", r.PathValue("id")) })
	server := httptest.NewServer(mux)
	defer server.Close()
	args := []string{client}
	for i := range events {
		args = append(args, fmt.Sprintf("%s/%s?mode=raw&speed=max&from=%%2B%ds", server.URL, replaytest.Session, i))
	}
	var refused []*string
	node(t, &refused, nil, "strict.mjs", args...)
	if len(refused) != len(events) {
		t.Fatalf("%d answers for %d events", len(refused), len(events))
	}
	for i, why := range refused {
		fails := strings.Contains(strings.Join(events[i:], "\n"), `"type":"error"`) // by what the stream says
		switch {
		case !fails && why != nil:
			t.Errorf("from event %d, %.80s: %s", i, events[i], *why)
		case fails && (why == nil || *why != *refused[0]):
			t.Errorf("from event %d, %.80s: not the error of the stream", i, events[i])
		}
	}
}
