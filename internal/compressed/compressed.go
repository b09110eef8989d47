// Package compressed compresses the answers of an HTTP server with gzip, zstd or Brotli, depending
// on what the client accepts (RFC 9110, section 12.5.3). Streamed answers are compressed piece by
// piece: all that a handler has written before a flush can be decoded by the client after it.
package compressed

import (
	"mime"
	"net/http"
	"strings"

	"tapedeck/internal/slow"
)

// smallest is the size below which an answer that is not flushed is not compressed, bytes.
const smallest = 1024

// Handler compresses the answers of next for the requests that want selects. Answers of other types
// than texts and JSON, answers that have a Content-Encoding already, and parts of a resource are
// not changed. A request that asks for another protocol reaches next as it is.
//
// A client must accept each write within the timeout, unless next sets deadlines of its own. The end
// of an answer, which is written after next has returned, always has the timeout.
func Handler(next http.Handler, want func(*http.Request) bool, timeout *slow.Timeout) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" || r.Method == http.MethodConnect || !want(r) {
			next.ServeHTTP(w, r)
			return
		}
		out := &writer{
			ResponseWriter: w, coding: accepted(r.Header.Values("Accept-Encoding")), head: r.Method == http.MethodHead,
			out: slow.NewWriter(w, timeout),
		}
		next.ServeHTTP(out, r)
		// A handler that panics leaves its answer incomplete: the end of the coding is not written,
		// so that the client sees that the answer was cut.
		out.finish()
	})
}

// compressible reports whether answers of a media type get smaller.
func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch {
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "+json"):
		return true
	}
	switch media {
	case "application/json", "application/x-ndjson", "application/ndjson", "application/yaml":
		return true
	}
	return false
}
