package httpreplay_test

import (
	"net/http"
	"testing"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
)

// A session that was recorded again has the answers of its newest recording, and those of earlier
// ones only to requests that the newest does not have. Proxies that record at the same time are one
// recording.
func TestRecordedAgain(t *testing.T) {
	tape := &replaytest.Tape{}
	for _, x := range []struct {
		recorder           string
		at                 time.Duration
		line, body, answer string
	}{
		{"p1", 0, "POST /chat", `{"q":"first"}`, "old first"},
		{"p1", time.Second, "POST /chat", `{"q":"both"}`, "old both"},
		{"p1", 2 * time.Second, "GET /models", "", "old models"},
		{"p1", 3 * time.Second, "GET /gone", "", "gone"},
		{"p2", time.Minute, "POST /chat", `{"q":"second"}`, "new second"},
		{"p3", time.Minute + time.Second, "POST /chat", `{"q":"other"}`, "new other"},
		{"p2", time.Minute + 2*time.Second, "POST /chat", `{"q":"both"}`, "new both"},
		{"p2", time.Minute + 3*time.Second, "GET /models", "", "new models"},
	} {
		s := et.Asked(tape, x.at, x.line, nil, x.body).Recorder(x.recorder)
		et.Head(s, x.at+ms, "200 OK").Add(x.at+ms, x.answer)
	}
	base := et.Serve(t, handler(tape))
	for _, tc := range []struct{ take, method, path, body, want string }{
		{"a", "POST", "/chat", `{"q":"second"}`, "new second"},
		{"b", "POST", "/chat", `{"q":"both"}`, "new second"}, // in the recorded order
		{"b", "POST", "/chat", `{"q":"both"}`, "new other"},
		{"b", "POST", "/chat", `{"q":"both"}`, "new both"},
		{"c", "POST", "/chat", `{"q":"unknown"}`, "new second"},
		{"d", "POST", "/chat", `{"q":"first"}`, "old first"},
		{"e;match", "POST", "/chat", `{"q":"both"}`, "new both"},
		{"f", "GET", "/models", "", "new models"},
		{"f", "GET", "/gone", "", "gone"},
	} {
		query := "?speed=max&take=" + tc.take[:1]
		if len(tc.take) > 1 {
			query += "&match=body"
		}
		if _, got := ask(t, http.DefaultClient, tc.method, base+tc.path+query, tc.body); got != tc.want {
			t.Errorf("take %s, %s %s %s: %q, want %q", tc.take, tc.method, tc.path, tc.body, got, tc.want)
		}
	}
}
