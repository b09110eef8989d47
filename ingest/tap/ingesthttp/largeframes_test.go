package ingesthttp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// Bodies in the midst of a large frame take a place each. One more waits until a place is free, and
// is answered 503 if none becomes free; a body of small frames needs none.
func TestLargeFramesTakePlaces(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_http_not_taken_total")
	var memory ingesttest.Memory
	h := NewHandler(ingest.NewRecorder(&memory, ingest.Settings{}),
		Options{Limits: ingest.Limits{LargeFrames: 1}, Timeout: time.Second})
	send := func(session string, body io.Reader) int {
		r := httptest.NewRequest(http.MethodPost, "/v1/ingest?dialect=generic&session="+session, body)
		r.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		h.Ingest(w, r, "default")
		return w.Code
	}
	large := bytes.Repeat([]byte("x"), 3*largeFrame)
	whole := append(bytes.Clone(large), '\n')
	from, to := io.Pipe()
	first := make(chan int, 1)
	go func() { first <- send("first", from) }()
	if _, err := to.Write(large); err != nil { // all was read: the place is taken
		t.Fatal(err)
	}
	metrictest.Show(t, "tapedeck_ingest_large_frames")
	if status := send("second", bytes.NewReader(whole)); status != http.StatusServiceUnavailable {
		t.Errorf("beyond the places: status %d, want 503", status)
	}
	small := append(bytes.Repeat([]byte("x"), 999), '\n')
	if status := send("small", bytes.NewReader(bytes.Repeat(small, 3000))); status != http.StatusOK {
		t.Errorf("small frames: status %d, want 200", status)
	}
	if _, err := to.Write([]byte("\n{}\n")); err != nil {
		t.Fatal(err)
	}
	if status := send("third", bytes.NewReader(whole)); status != http.StatusOK {
		t.Errorf("after the large frame ended, though its body goes on: status %d, want 200", status)
	}
	_ = to.Close()
	if status := bounded.Receive(t, first); status != http.StatusOK {
		t.Errorf("the first: status %d, want 200", status)
	}
}
