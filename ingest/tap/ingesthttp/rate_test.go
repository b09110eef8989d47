package ingesthttp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/ingesttest"
)

// A body that is held back by a rate for longer than the timeout is answered 429 with the limit's
// name and Retry-After. A client that continues from durable_bytes each time delivers all.
func TestRateIsNamed(t *testing.T) {
	var memory ingesttest.Memory
	next := admission.New(t.Context(), admission.Options{Next: &memory, Rates: admission.Rates{FramesPerTenant: 50}})
	h := NewHandler(ingest.NewRecorder(next, ingest.Settings{BlockFrames: 10, BlockAge: time.Hour}), Options{Timeout: 100 * time.Millisecond})
	rest, refused, durable := strings.Repeat("{\"a\":1}\n", 100), 0, uint64(0)
	for rest != "" {
		r := httptest.NewRequest(http.MethodPost, "/v1/ingest?session=s&dialect=generic", strings.NewReader(rest))
		r.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		h.Ingest(w, r, "default")
		if w.Code == http.StatusOK {
			var answer Answer
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			durable += answer.Frames
			break
		}
		after, err := strconv.Atoi(w.Header().Get("Retry-After"))
		var failure Failure
		if bad := json.Unmarshal(w.Body.Bytes(), &failure); bad != nil || err != nil {
			t.Fatal(bad, err)
		}
		if w.Code == http.StatusServiceUnavailable && failure.Limit == "" { // the machine stood still for the timeout
			rest = rest[failure.DurableBytes:]
			durable += failure.DurableFrames
			continue
		}
		if w.Code != http.StatusTooManyRequests || after < 1 || failure.Limit != "max-frames-per-second-per-tenant" || !strings.Contains(failure.Hint, "--"+failure.Limit) {
			t.Fatalf("answered %d %s, Retry-After %d", w.Code, w.Body, after)
		}
		rest = rest[failure.DurableBytes:]
		durable += failure.DurableFrames
		if refused++; refused > 100 {
			t.Fatal("nothing moves")
		}
	}
	frames := uint64(0)
	for _, id := range memory.Streams() {
		frames += uint64(len(memory.Frames(id)))
	}
	if refused == 0 || durable != 100 || frames < durable {
		t.Errorf("%d frames are durable and %d recorded after %d refusals, want 100", durable, frames, refused)
	}
}
