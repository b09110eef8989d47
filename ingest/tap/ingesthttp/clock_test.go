package ingesthttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/ingesthttp"
)

// With clock=frame frames have the times that they state, where the first ones state any.
func TestClock(t *testing.T) {
	june := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	timed := ""
	for i := range 3 {
		timed += fmt.Sprintf(`{"type":"user","sessionId":"s","uuid":"u%d","timestamp":%q,"message":{"role":"user","content":"x"}}`+"\n",
			i, june.AddDate(0, 0, i).Format(time.RFC3339))
	}
	untimed := strings.Repeat(`{"session_id":"s","n":1}`+"\n", 3)
	for _, tc := range []struct {
		query, body string
		own         bool
	}{
		{"?clock=frame", timed, true}, {"?clock=arrival", timed, false}, {"", timed, false}, {"?clock=frame", untimed, false},
	} {
		s := serve(t, ingest.Settings{}, ingesthttp.Options{})
		began := ingest.Now()
		var answer ingesthttp.Answer
		s.read(t, s.post(t, tc.query, "application/x-ndjson", "", strings.NewReader(tc.body)), http.StatusOK, &answer)
		for i, f := range s.mem.Frames(answer.StreamID) {
			if own := f.At == june.AddDate(0, 0, i).UnixNano(); own != tc.own || !own && f.At < began {
				t.Errorf("%s: frame %d arrived %v", tc.query, i, time.Unix(0, f.At).UTC())
			}
		}
	}
	s := serve(t, ingest.Settings{}, ingesthttp.Options{})
	if text := s.text(t, s.post(t, "?clock=sun", "application/x-ndjson", "", strings.NewReader(timed)), http.StatusBadRequest); !strings.Contains(text, `"frame"`) {
		t.Errorf("clock=sun: %s", text)
	}
}
