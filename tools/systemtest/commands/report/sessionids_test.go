package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Frames of one body go to the session that each names, whatever is in the name:
// none is lost, none goes to another's, and each can be asked for and deleted.
func TestNastySessionIDs(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	long := "nasty" + strings.Repeat("0123456789abcdef", 640)
	named := []string{
		"nasty\x00", "nasty\x01", "nasty_", "nasty ", "nasty%00", "~nasty%00", "nasty.", "nasty..", "nasty/..", "nasty/../x", "nasty/",
		"nasty*", "nasty>", "nasty.>", "nasty.*", "nasty\u00a0", "nasty ö 漢字 🙂", "nasty?a=b#c", "nasty;x=1", long, long + "1", ".", "..",
	}
	var body strings.Builder
	for i, id := range named {
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&body, `{"session_id":%s,"node_id":"run-think-0","event_id":%d,"type":"node_enter","id":"think"}`+"\n", text, i+1)
	}
	res, err := http.Post(s.URL+"/v1/ingest", "application/x-ndjson", strings.NewReader(body.String()))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Sessions []string `json:"sessions"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Sessions) != len(named) {
		t.Fatalf("%d ids became %d sessions: %q", len(named), len(answer.Sessions), answer.Sessions)
	}
	for i, id := range answer.Sessions {
		kept := []string{"nasty_", "nasty ", "nasty%00", "nasty.", "nasty..", "nasty/..", "nasty/../x", "nasty/", "nasty*", "nasty>", "nasty.>", "nasty.*", "nasty?a=b#c"}
		for _, k := range kept {
			if named[i] == k && id != k {
				t.Errorf("%q is recorded as %q", k, id)
			}
		}
		path := "/v1/sessions/" + url.PathEscape(id)
		bounded.Until(t, "the recording of "+id, func() bool {
			status, _, _ := s.Get(t, path)
			return status == http.StatusOK
		})
		var of struct {
			ID     string `json:"id"`
			Frames int    `json:"frames"`
		}
		_, text, _ := s.Get(t, path)
		if err := json.Unmarshal(text, &of); err != nil || of.ID != id || of.Frames != 1 {
			t.Errorf("%q (recorded as %q): id %q, %d frames, %v", named[i], id, of.ID, of.Frames, err)
		}
	}
	for _, id := range answer.Sessions {
		if status, text, _ := s.Delete(t, "/v1/sessions/"+url.PathEscape(id)); status != http.StatusNoContent {
			t.Errorf("delete %q: %d %s", id, status, text)
		}
	}
}
