package proxy

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest/framing/framingtest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Captured streams of real servers pass and are recorded byte for byte, however
// they are cut into writes and whichever way they are compressed.
func TestCaptures(t *testing.T) {
	captures := framingtest.Fixtures(t, ".sse", ".sse.txt", ".jsonl", ".bin")
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media := "text/event-stream"
		if strings.HasSuffix(r.URL.Path, ".jsonl") {
			media = "application/x-ndjson"
		}
		if strings.HasSuffix(r.URL.Path, ".bin") {
			media = "application/vnd.amazon.eventstream"
		}
		w.Header().Set("Content-Type", media)
		out := compressor(w, r.URL.RawQuery)
		defer out.Close()
		for rest := captures[r.URL.Path]; len(rest) > 0; {
			n := min(len(rest), 1+rand.IntN(2000))
			out.Write(rest[:n])
			rest = rest[n:]
			flush(out)
			http.NewResponseController(w).Flush()
		}
	}), nil)
	want := map[string]string{} // by path and query
	for path, text := range captures {
		for _, encoding := range []string{"", "gzip", "zstd", "br"} {
			res, got := s.do(t, s.request(t, "GET", path+"?"+encoding, ""))
			if encoding == "" && got != string(text) {
				t.Errorf("%s: the client got %d bytes of %d", path, len(got), len(text))
			}
			if res.Header.Get("Content-Encoding") != encoding {
				t.Errorf("%s: encoding %q became %q", path, encoding, res.Header.Get("Content-Encoding"))
			}
			want[strings.TrimSuffix("GET "+s.upstream.URL+path+"?"+encoding, "?")] = string(text)
		}
	}
	bounded.Wait(t, s.proxy.recordings.Wait) // a stream with two sessions has two ends
	for _, r := range s.recorded(t, len(want)) {
		if got := r.body(schema.Receive); got != want[r.state.Source] || r.state.EndReason != "eof" {
			t.Errorf("%s: %d bytes recorded of %d, ended %q", r.state.Source, len(got), len(want[r.state.Source]), r.state.EndReason)
		}
		for _, f := range r.frames {
			if isBin := strings.Contains(r.state.Source, ".bin"); f.Direction == schema.Receive && !f.Flags.Has(schema.FlagNote) && isBin != (f.Transport == schema.EventStream) {
				t.Errorf("%s: a frame of transport %s", r.state.Source, f.Transport)
			}
		}
	}
}
