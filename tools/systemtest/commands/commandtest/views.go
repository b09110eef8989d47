package commandtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/query"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/streamlist"
)

// UntilEnded waits until a session can be read and has ended.
func UntilEnded(t *testing.T, s *Instance, id string) {
	t.Helper()
	bounded.Until(t, "the end of the recording", func() bool {
		status, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(id))
		return status == http.StatusOK && !strings.Contains(string(body), `"ended":null`)
	})
}

// Views returns the answers about a session that an import must restore exactly.
func Views(t *testing.T, s *Instance, id string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range []string{"frames?limit=5000", "transcript?chunks=1", "timeline", "replay?speed=max&mode=event"} {
		status, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(id)+"/"+path)
		if status != http.StatusOK {
			t.Fatalf("%s of %s: %d %s", path, id, status, body)
		}
		all[path] = string(body)
	}
	var detail map[string]any
	_, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(id))
	if err := json.Unmarshal(body, &detail); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(detail)
	if err != nil {
		t.Fatal(err)
	}
	all["session"] = string(text)
	return all
}

// completeTo matches the time of an answer up to which it is complete.
var completeTo = regexp.MustCompile(`"complete_to":"[^"]*"`)

// SameViews checks that two results of Views are equal. what names the first one.
func SameViews(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if completeTo.ReplaceAllString(got[name], "") != completeTo.ReplaceAllString(want[name], "") {
			t.Errorf("%s: %s is\n%.2000s\nwant\n%.2000s", what, name, got[name], want[name])
		}
	}
}

// Delete sends a DELETE request and returns the status. The body that it returns is nil.
func (s *Instance) Delete(t *testing.T, path string) (int, []byte, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil, resp.Header
}

// UntilStreams waits until a session has the given number of streams that have ended.
func (s *Instance) UntilStreams(t *testing.T, session string, streams int) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("%d streams of session %s", streams, session), func() bool {
		status, body, _ := s.Get(t, "/v1/streams?session="+session)
		var page query.Page[streamlist.InSession]
		return status == http.StatusOK && json.Unmarshal(body,
			&page) == nil && len(page.Items) == streams && page.Items[0].Stream.Ended != nil
	})
}

// Session reads a session's page; the zero value if it does not exist yet.
func (s *Instance) Session(t *testing.T, id string) (d sessiondetail.Detail) {
	t.Helper()
	if status, body, _ := s.Get(t, "/v1/sessions/"+id); status == http.StatusOK {
		if err := json.Unmarshal(body, &d); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// ReadJSON reads a JSON answer.
func (s *Instance) ReadJSON(t *testing.T, path string, into any) {
	t.Helper()
	status, body, _ := s.Get(t, path)
	if err := json.Unmarshal(body, into); status != 200 || err != nil {
		t.Fatalf("%s: %d %v\n%s", path, status, err, body)
	}
}
