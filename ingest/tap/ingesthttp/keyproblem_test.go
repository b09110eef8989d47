package ingesthttp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/ingesthttp"
)

// TestKeyOfDeletedSession: the key of an unfinished stream whose session was deleted is
// answered 410 by both routes, since no retry helps.
func TestKeyOfDeletedSession(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{BlockFrames: 3})
	text := strings.Repeat("{\"a\":1}\n", 10)
	s.send(t, sending{key: "gone", query: "?session=s", text: text, cut: true, when: func() {
		s.waitFor(t, "what was sent to be durable", func() bool { return s.status(t, "gone").Frames == 10 })
	}})
	s.waitFor(t, "the end of the cut request", func() bool {
		st, ok := n.mem.State(n.only(t), "s")
		return ok && st.Ended != 0
	})
	const reason = "session \"s\" was deleted"
	n.mem.Refuse(ingest.Permanent(&ingest.DeletedError{Reason: reason}))
	resp, err := s.client.Get(s.http.URL + "/v1/ingest/gone")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"GET": s.text(t, resp, http.StatusGone)}
	if resp.Header.Get("Retry-After") != "" {
		t.Error("GET asks for a retry")
	}
	status, answer := s.send(t, sending{key: "gone", query: "?session=s", text: text})
	if status != http.StatusGone {
		t.Errorf("POST was answered %d %s", status, answer)
	}
	answers["POST"] = answer
	for method, text := range answers {
		var f ingesthttp.Failure
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		if f.Title != "Session deleted" || f.Detail != reason || !strings.Contains(f.Hint, "Use another key") {
			t.Errorf("%s was answered %s", method, text)
		}
	}
}

// TestOtherDigest: a body whose digest is not the one of the request is recorded, and
// the hint does not ask for the rest of it.
func TestOtherDigest(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	for name, key := range map[string]string{"without a key": "", "with a key": "digest"} {
		t.Run(name, func(t *testing.T) {
			r := s.request(t, "?session=s&digest="+strings.Repeat("0", 64), ndjson, "", strings.NewReader("{\"a\":1}\n"))
			if key != "" {
				r.Header.Set("Idempotency-Key", key)
			}
			resp, err := s.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var f ingesthttp.Failure
			s.read(t, resp, http.StatusUnprocessableEntity, &f)
			if f.DurableBytes != 8 || len(f.Rejected) != 0 || !strings.Contains(f.Hint, "correct the parameter digest") ||
				!strings.Contains(f.Hint, "delete the session") || strings.Contains(f.Hint, "durable_bytes") {
				t.Errorf("answered %+v", f)
			}
		})
	}
}

// TestOtherParameters: the answer names the parameters that differ as the API does.
func TestOtherParameters(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	if status, answer := s.send(t, sending{key: "k", text: "{}\n", query: "?tag=a:1"}); status != http.StatusOK {
		t.Fatalf("answered %d %s", status, answer)
	}
	_, answer := s.send(t, sending{key: "k", text: "{}\n", query: "?session=s&dialect=generic&tag=b:3&tag=a:2", media: "text/event-stream"})
	var f ingesthttp.Failure
	if err := json.Unmarshal([]byte(answer), &f); err != nil {
		t.Fatal(err)
	}
	const want = `the idempotency key was used for something else: the parameters differ from those of its first request: ` +
		`no session then, session "s" now; no dialect then, dialect "generic" now; ` +
		`tag "a:1" then, tag "a:2" "b:3" now; Content-Type "application/x-ndjson" then, Content-Type "text/event-stream" now`
	if f.Detail != want {
		t.Errorf("detail\n %s, want\n %s", f.Detail, want)
	}
}
