package ingesthttp

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
)

// A body beyond a limit is answered with the limit and its flag, and with how much is
// durable: all that came before.
func TestLimits(t *testing.T) {
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"session_id":"s%d","node_id":"run-think-0","event_id":%d,"type":"node_enter","id":"think"}`+"\n", i, i)
	}
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	long := []byte(`"` + strings.Repeat("x", 1<<20) + "\"\n")
	for range 90 {
		_, _ = packed.Write(long)
	}
	_ = packed.Close()
	for _, tc := range []struct {
		name, body, query, encoding string
		limits                      ingest.Limits
		status                      int
		says                        string
		most                        uint64 // durable frames
	}{
		{"none", lines.String(), "", "", ingest.Limits{}, 200, "", 2000},
		{"frames", lines.String(), "", "", ingest.Limits{Frames: 1000}, 413, "--max-body-frames", 1000},
		{"bytes", lines.String(), "", "", ingest.Limits{Bytes: 10_000}, 413, "--max-body-bytes", 200},
		{"sessions", lines.String(), "", "", ingest.Limits{Sessions: 100}, 413, "--max-body-sessions", 100 + 64 + 256},
		{"ratio", bomb.String(), "", "gzip", ingest.Limits{}, 413, "--max-body-ratio", 64},
		{"tags", "", "&tag=a:1&tag=b:2&tag=c:3", "", ingest.Limits{Tags: 2}, 400, "--max-tags", 0},
		{"tag", "", "&tag=a:" + strings.Repeat("x", 2000), "", ingest.Limits{}, 400, "--max-tag-bytes", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var memory ingesttest.Memory
			h := NewHandler(ingest.NewRecorder(&memory, ingest.Settings{}), Options{Limits: tc.limits})
			r := httptest.NewRequest(http.MethodPost, "/v1/ingest?dialect=loom"+tc.query, strings.NewReader(tc.body))
			r.Header.Set("Content-Type", "application/x-ndjson")
			r.Header.Set("Content-Encoding", tc.encoding)
			w := httptest.NewRecorder()
			h.Ingest(w, r, "default")
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
				t.Fatalf("%d %.300s", w.Code, w.Body)
			}
			var answer struct {
				Frames        uint64 `json:"frames"`
				DurableFrames uint64 `json:"durable_frames"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			durable := max(answer.Frames, answer.DurableFrames)
			if durable > tc.most || durable == 0 && tc.most > 0 {
				t.Errorf("%d frames are durable, want at most %d", durable, tc.most)
			}
			var kept uint64
			for _, id := range memory.Streams() {
				kept += uint64(len(memory.Frames(id)))
			}
			if kept != durable {
				t.Errorf("%d frames are kept, %d are said to be durable", kept, durable)
			}
		})
	}
}
