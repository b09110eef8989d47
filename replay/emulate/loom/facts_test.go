package loom_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/loom"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// played returns all runs of a tape, as messages of a WebSocket.
func played(tape *replaytest.Tape) string {
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	loom.New(et.Stage(tape)).ServeLines(rec, r, "default", replaytest.Session, "websocket", tape, emulate.Pacing{Speed: player.Max})
	return rec.Body.String()
}

// Runs of two sessions may be mixed in one stream, under one id. A reply that names a
// session of its own ends the run in progress.
func TestMixedRuns(t *testing.T) {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	s := tape.Stream(schema.NDJSON, "loom")
	for i, line := range []string{
		`{"session_id":"a","event_id":1,"type":"run_start","run_id":"r","message":"one"}`,
		`{"session_id":"b","event_id":1,"type":"run_start","run_id":"r","message":"two"}`,
		`{"session_id":"a","event_id":2,"type":"message_chunk","content":"A","id":"think"}`,
		`{"type":"message_chunk","content":"A","id":"think"}`,
		`{"session_id":"b","event_id":2,"type":"message_chunk","content":"B","id":"think"}`,
		`{"session_id":"a","event_id":3,"reply":"AA"}`,
		`{"session_id":"chat","event_id":3,"reply":"B"}`,
	} {
		s.Add(time.Duration(i)*ms, line+"\n")
	}
	want := `{"type":"run_stream_event","id":"r","event":{"session_id":"a","event_id":1,"type":"run_start","run_id":"r","message":"one"}}
{"type":"run_stream_event","id":"r","event":{"session_id":"a","event_id":2,"type":"message_chunk","content":"A","id":"think"}}
{"type":"run_stream_event","id":"r","event":{"type":"message_chunk","content":"A","id":"think"}}
{"type":"run_end","id":"r","session_id":"a","event_id":3,"reply":"AA"}
{"type":"run_stream_event","id":"r","event":{"session_id":"b","event_id":1,"type":"run_start","run_id":"r","message":"two"}}
{"type":"run_stream_event","id":"r","event":{"session_id":"b","event_id":2,"type":"message_chunk","content":"B","id":"think"}}
{"type":"run_end","id":"r","session_id":"chat","event_id":3,"reply":"B"}
`
	if got := played(tape); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Without facts, as in a file that was cut off, the envelopes of the frames say which
// runs there are.
func TestWithoutFacts(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.WebSocket, "loom").
		Add(0, `{"type":"run","message":"one","agent":"a"}`, et.Sent, et.Typed("run", "")).
		Add(0, `{"type":"pong","id":"p"}`, et.Typed("pong", "")).
		Add(ms, event("run-a", 1, `"type":"node_enter","id":"think"`), et.Typed("node_enter", "run-a")).
		Add(2*ms, `{"type":"run_end","id":"run-a","reply":"1"}`, et.Typed("run_end", "run-a")).
		Add(3*ms, event("run-b", 1, `"type":"node_enter","id":"think"`), et.Typed("node_enter", "run-b"))
	lines := tape.Stream(schema.NDJSON, "loom").
		Add(4*ms, `{"type":"node_enter","id":"think"}`+"\n", et.Typed("node_enter", ""))
	want := event("run-a", 1, `"type":"node_enter","id":"think"`) + "\n" +
		`{"type":"run_end","id":"run-a","reply":"1"}` + "\n" +
		event("run-b", 1, `"type":"node_enter","id":"think"`) + "\n" +
		`{"type":"error","id":"run-b","error":"the recording of this run breaks off here"}` + "\n" +
		`{"type":"run_stream_event","id":"run-` + lines.ID() + `","event":{"type":"node_enter","id":"think"}}` + "\n" +
		`{"type":"error","id":"run-` + lines.ID() + `","error":"the recording of this run breaks off here"}` + "\n"
	if got := played(tape); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
