package loom_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/loom"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Whatever was recorded, the lines that are played are JSON.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"type":"run_stream_event","id":"r","event":{"type":"node_enter"}}`+"\n"+`{"type":"run_end","id":"r"}`), "typed")
	f.Add([]byte(`{"events":[{"TaskStart":{}}],"reply":"x"}`+"\n"+`{"type":"error","error":"e"}`), "export")
	f.Add([]byte(`{"Messages":7}`+"\n"+`{"reply":1}`+"\n"+`{"type":"tools_list","tools":[{}]}`), "websocket")
	f.Fuzz(func(t *testing.T, recorded []byte, form string) {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		s := tape.Stream(schema.NDJSON, "loom")
		valid := true
		for line := range bytes.SplitSeq(recorded, []byte("\n")) {
			valid = valid && json.Valid(line) // what is no JSON may be taken for some
			s.Add(0, string(line)+"\n")
		}
		stage := et.Stage(tape)
		rec := httptest.NewRecorder()
		loom.New(stage).ServeLines(rec, httptest.NewRequest(http.MethodGet, "/", nil), "default", replaytest.Session, form, tape, emulate.Pacing{})
		for line := range bytes.SplitSeq(bytes.TrimSpace(rec.Body.Bytes()), []byte("\n")) {
			if valid && rec.Code == http.StatusOK && len(line) > 0 && !json.Valid(line) {
				t.Errorf("%q", line)
			}
		}
	})
}
