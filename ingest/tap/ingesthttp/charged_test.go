package ingesthttp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/metric/metrictest"
)

// largeFrame is the size of a frame that is charged, bytes.
const largeFrame = 1 << 20

// Bodies in the midst of a large frame are charged to the budget of writers. One more waits until
// there is memory for it, and is answered 503 with the limit's name if there is none; a body of small
// frames needs none.
func TestLargeFramesAreCharged(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_http_not_taken_total")
	var memory ingesttest.Memory
	writers := budget.NewWriters(budget.Options{Bytes: largeFrame, Wait: time.Second})
	h := NewHandler(ingest.NewRecorder(&memory, ingest.Settings{}), Options{Writers: writers})
	send := func(session string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/v1/ingest?dialect=generic&session="+session, body)
		r.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		h.Ingest(w, r, "default")
		return w
	}
	large := bytes.Repeat([]byte("x"), 3*largeFrame)
	whole := append(bytes.Clone(large), '\n')
	from, to := io.Pipe()
	first := make(chan int, 1)
	go func() { first <- send("first", from).Code }()
	if _, err := to.Write(large); err != nil { // all was read: it is charged
		t.Fatal(err)
	}
	metrictest.Of(writers).Show(t, "tapedeck_writer_bytes")
	refused := send("second", bytes.NewReader(whole))
	if refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") == "" ||
		!strings.Contains(refused.Body.String(), `"limit":"max-writer-bytes"`) {
		t.Errorf("beyond the budget: status %d, want 503 with the limit: %s", refused.Code, refused.Body)
	}
	small := append(bytes.Repeat([]byte("x"), 999), '\n')
	if w := send("small", bytes.NewReader(bytes.Repeat(small, 3000))); w.Code != http.StatusOK {
		t.Errorf("small frames: status %d, want 200", w.Code)
	}
	if _, err := to.Write([]byte("\n{}\n")); err != nil {
		t.Fatal(err)
	}
	if w := send("third", bytes.NewReader(whole)); w.Code != http.StatusOK {
		t.Errorf("after the large frame ended, though its body goes on: status %d, want 200", w.Code)
	}
	_ = to.Close()
	if status := bounded.Receive(t, first); status != http.StatusOK {
		t.Errorf("the first: status %d, want 200", status)
	}
	metrictest.Of(writers).Show(t, "tapedeck_writers_refused_total")
	if grant := writers.Write(); !grant.Try(largeFrame) {
		t.Error("something is charged after the end of all bodies")
	}
}
