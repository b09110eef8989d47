package httpreplay_test

import (
	"net/http"
	"strings"
	"testing"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
)

// Addresses of the recorded server in answers lead to the emulation, so that no client leaves it.
func TestAddresses(t *testing.T) {
	const up = "http://agent.example:9000"
	tape := &replaytest.Tape{}
	for _, x := range []struct{ path, source, field, body string }{
		{"/old", "/old", "Location: " + up + "/new?a=1", "see " + up},
		{"/upload", "/upload", "X-Goog-Upload-URL: " + up + "/upload/1", ""},
		{"/away", "/away", "Location: https://other.example/x", ""},
		{"/based", "/api/based", "Location: " + up + "/api/new", ""},
		{"/.well-known/agent-card.json", "/.well-known/agent-card.json", "Content-Length: 66",
			`{"url":"` + up + `/a2a","more":[{"url":"http:\/\/agent.example:9000\/b"}]}`},
	} {
		s := et.Asked(tape, 0, "GET "+x.path, nil, "").Source("GET " + up + x.source)
		et.Head(s, 0, "200 OK", x.field).Add(0, x.body)
	}
	base := et.Serve(t, handler(tape))
	for path, want := range map[string]string{
		"/old": base + "/new?a=1", "/upload": base + "/upload/1", "/away": "https://other.example/x", "/based": base + "/new",
	} {
		res, got := ask(t, &http.Client{Transport: http.DefaultTransport}, "GET", base+path, "")
		if at := res.Header.Get("Location") + res.Header.Get("X-Goog-Upload-Url"); at != want || path == "/old" && got != "see "+up {
			t.Errorf("%s leads to %q, want %q; body %q", path, at, want, got)
		}
	}
	_, got := ask(t, http.DefaultClient, "GET", base+"/.well-known/agent-card.json", "")
	if want := `{"url":"` + base + `/a2a","more":[{"url":"` + strings.ReplaceAll(base, "/", `\/`) + `\/b"}]}`; got != want {
		t.Errorf("the card is %s, want %s", got, want)
	}
	res, _ := ask(t, http.DefaultClient, "GET", base+"/old", "", "Tapedeck-Own-Origin", "http://127.0.0.1:8080")
	if at := res.Header.Get("Location"); at != "http://127.0.0.1:8080/new?a=1" {
		t.Errorf("behind the command: %q", at)
	}
}
