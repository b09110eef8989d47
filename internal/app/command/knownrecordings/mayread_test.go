package knownrecordings

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// A command with a token that may only record asks nothing that the server would refuse.
func TestTokenForRecordingOnly(t *testing.T) {
	for scopes, asks := range map[string]bool{`"record"`: false, `"record","read"`: true, `"record","read:raw"`: true, `"admin"`: true} {
		var queries atomic.Int64
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(problem.ServerHeader, "1")
			if r.URL.Path == "/v1/login" {
				fmt.Fprintf(w, `{"tokens":true,"principal":{"scopes":[%s]}}`, scopes)
				return
			}
			queries.Add(1)
			fmt.Fprint(w, `{"items":[{"session_id":"s","stream":{"ended":"2026-01-01T00:00:00Z"}}],"next":null}`)
		}))
		defer srv.Close()
		server := func() (*apiclient.Client, error) { return apiclient.New(srv.URL, "token") }
		_ = NewIndex(server, nil).LookUp(t.Context(), "file")("digest")
		if _, err := Lost(t.Context(), server, &agenthistory.Progress{}); err != nil {
			t.Error(err)
		}
		if got := queries.Load() > 0; got != asks {
			t.Errorf("scopes %s: %d queries", scopes, queries.Load())
		}
	}
}
