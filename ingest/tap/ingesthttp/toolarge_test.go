package ingesthttp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/ingesthttp"
)

// A body with a message that no retry delivers is answered 413, without Retry-After.
func TestLargerThanStored(t *testing.T) {
	s := serve(t, ingest.Settings{BlockFrames: 10, BlockAge: time.Hour}, ingesthttp.Options{Timeout: 5 * time.Second})
	s.mem.Refuse(ingest.Permanent(&ingest.TooLargeError{Detail: "block of 2000000 bytes is over the NATS server's max_payload"}))
	resp := s.post(t, "?session=s&dialect=generic", ndjson, "", strings.NewReader("{}\n"))
	var failure ingesthttp.Failure
	s.read(t, resp, http.StatusRequestEntityTooLarge, &failure)
	if resp.Header.Get("Retry-After") != "" || !strings.Contains(failure.Detail, "max_payload") || !strings.Contains(failure.Hint, "does not help") {
		t.Errorf("Retry-After %q, %+v", resp.Header.Get("Retry-After"), failure)
	}
}
