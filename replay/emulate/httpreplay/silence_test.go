package httpreplay_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/internal/slow"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// An answer that pauses for longer than a client may take for a write comes to its end, by HTTP/1.1
// and by HTTP/2, in which a deadline ends an answer even if nothing is to be written.
func TestSilenceBeyondWriteTimeout(t *testing.T) {
	tape := &replaytest.Tape{}
	s := et.Asked(tape, 0, "GET /events", nil, "")
	et.Head(s, ms, "200 OK", "Content-Type: text/event-stream").
		Add(2*ms, "data: 1\n\n", et.Over(schema.SSE)).
		Add(1500*ms, "data: 2\n\n", et.Over(schema.SSE))
	for _, http2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(handler(tape, func(o *emulate.Options) {
			o.WriteTimeout = slow.NewTimeout(500 * time.Millisecond)
		}))
		srv.EnableHTTP2 = http2
		srv.StartTLS()
		t.Cleanup(srv.Close)
		t.Run(fmt.Sprintf("http2=%t", http2), func(t *testing.T) {
			t.Parallel()
			res, err := srv.Client().Get(srv.URL + "/events")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK || res.ProtoAtLeast(2, 0) != http2 || string(body) != "data: 1\n\ndata: 2\n\n" {
				t.Errorf("%s %s, %q, %v", res.Proto, res.Status, body, err)
			}
		})
	}
}
