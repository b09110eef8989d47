package ingesthttp

import (
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/ingest"
)

// The names and headers of a request are refused with a status of the client's, or are such
// as may be stored.
func FuzzReadRequest(f *testing.F) {
	for _, seed := range [][5]string{
		{"session=x&dialect=generic&tag=a:b", "application/x-ndjson", "gzip", "key-1", ""},
		{"session=..&tag=a", "text/event-stream; charset=utf-8", "br", "", "7"}, {"digest=ab&again=2", "", "gzip, zstd", "k", "-1"},
		{"tag=:x&tag=a:b:c", "application/vnd.amazon.eventstream", "X-GZIP", strings.Repeat("k", 300), "18446744073709551616"},
		{"%zz&session=%00", "x/\x00", "identity", "\"quoted\"", "1.5"}, {"unknown=1", "application/json", "", "a b", "0"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, query, media, coding, key, offset string) {
		r := httptest.NewRequest("POST", "/v1/ingest", nil)
		r.URL.RawQuery = query
		for name, value := range map[string]string{"Content-Type": media, "Content-Encoding": coding, "Idempotency-Key": key, "Upload-Offset": offset} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		ask, bad := readRequest(r, ingest.DefaultTenant)
		if bad != nil {
			if bad.Status < 400 || bad.Status > 499 {
				t.Errorf("%q: %+v", query, bad)
			}
			return
		}
		so := ask.stream
		if so.Session != "" && ingest.CheckSession(so.Session) != nil || ask.digest != "" && len(ask.digest) != 64 {
			t.Errorf("%q: session %q, digest %q", query, so.Session, ask.digest)
		}
		for name := range so.Tags {
			if name == "" {
				t.Errorf("%q: a tag without a name", query)
			}
		}
		if ask.encoding != "" && ask.encoding != "gzip" && ask.encoding != "zstd" {
			t.Errorf("%q is taken for %q", coding, ask.encoding)
		}
	})
}
