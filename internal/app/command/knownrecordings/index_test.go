package knownrecordings

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"tapedeck/ingest/tap/file"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/session/streamlist"
)

// TestIndex looks up 250 files, of which the server has every third: three requests ask for all.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	var paths, digests []string
	for i := range 250 {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(path, fmt.Appendf(nil, "{\"n\":%d}\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
		digest, err := file.Digest(path)
		if err != nil {
			t.Fatal(err)
		}
		paths, digests = append(paths, path), append(digests, digest)
	}
	for _, tc := range []struct {
		name     string
		each     int // recordings of each digest
		most     int // requests
		fails    bool
		withPath bool
	}{
		{"several at once", 1, 3, false, true},
		// 34 files of 100 have 20 recordings each, more than one answer holds: what it leaves out is asked for alone.
		{"answers that are cut", 20, 250, false, true},
		{"a server that fails", 0, 250, true, true},
		{"one by one", 1, 250, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(problem.ServerHeader, "1")
				if r.URL.Path != "/v1/streams" {
					_, _ = w.Write([]byte("{}"))
					return
				}
				requests.Add(1)
				if tc.fails {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				asked := r.URL.Query()["digest"]
				if len(asked) > streamlist.DigestsMost {
					t.Errorf("%d digests in a request", len(asked))
				}
				limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
				if err != nil {
					t.Error(err)
				}
				page := query.Page[streamlist.InSession]{Items: []streamlist.InSession{}}
				for n := range tc.each { // the latest of all digests first
					for _, digest := range asked {
						if i := slices.Index(digests, digest); i%3 == 0 && len(page.Items) < limit {
							page.Items = append(page.Items, streamlist.InSession{
								SessionID: fmt.Sprintf("s-%d-%d", i, n), Stream: sessionstreams.Stream{Digest: digest},
							})
						}
					}
				}
				_ = json.NewEncoder(w).Encode(page)
			}))
			defer server.Close()
			var known []string
			if tc.withPath {
				known = paths
			}
			index := NewIndex(func() (*apiclient.Client, error) { return apiclient.New(server.URL, "") }, known)
			for i, path := range paths {
				err := index.LookUp(t.Context(), path)(digests[i])
				e, found := errors.AsType[*KnownError](err)
				switch {
				case found != (i%3 == 0 && !tc.fails), !found && err != nil:
					t.Fatalf("file %d: %v", i, err)
				case found && (e.Stored.SessionID != fmt.Sprintf("s-%d-0", i) || e.Source != path):
					t.Fatalf("file %d is %s of %s", i, e.Stored.SessionID, e.Source)
				}
			}
			if n := int(requests.Load()); n > tc.most || n == 0 {
				t.Errorf("%d requests, want at most %d", n, tc.most)
			}
		})
	}
	if (*Index)(nil).LookUp(t.Context(), "x") != nil {
		t.Error("no index looks up nothing")
	}
}
