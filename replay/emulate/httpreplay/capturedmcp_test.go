package httpreplay_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// A client of MCP connects to a server of which only the answers were recorded: it initializes, says
// so, asks for the server's own events, and calls. No event has a name, since clients ignore names
// other than "message".
func TestCapturedMCP(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "mcp").
		Add(0, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`+"\n", et.Typed("result", "")).
		Add(0, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`+"\n", et.Typed("result", "")).
		Add(0, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`+"\n", et.Typed("notifications/progress", "")).
		Add(0, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`+"\n", et.Typed("result", "")).
		Add(0, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", et.Typed("notifications/tools/list_changed", ""))
	base := et.Serve(t, handler(tape))
	for _, tc := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"POST", `{"jsonrpc":"2.0","id":7,"method":"initialize"}`, 200, `{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25"}}`},
		{"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"GET", "", 405, ""},
		{"POST", `{"jsonrpc":"2.0","id":8,"method":"tools/list"}`, 200, `{"jsonrpc":"2.0","id":8,"result":{"tools":[]}}`},
		{"POST", `{"jsonrpc":"2.0","id":0,"result":{}}`, 202, ""},
		{"POST", `{"jsonrpc":"2.0","id":9,"method":"tools/call"}`, 200,
			"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\":[]}}\n\n"},
		{"DELETE", "", 405, ""},
	} {
		res, got := ask(t, http.DefaultClient, tc.method, base+"/mcp?speed=max", tc.body)
		if res.StatusCode != tc.status || got != tc.want || (res.StatusCode == 405) != (res.Header.Get("Allow") == "POST") {
			t.Errorf("%s %s: %d %v %s, want %d %s", tc.method, tc.body, res.StatusCode, res.Header, got, tc.status, tc.want)
		}
	}
	if res, got := ask(t, http.DefaultClient, "POST", base+"/mcp?speed=max&end=stop", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); res.StatusCode != 409 {
		t.Errorf("after the last answer: %d %s", res.StatusCode, got)
	}
}

// A client of MCP resumes the answer to a POST with a GET, and the answer has the id of the POST.
func TestResumeMCP(t *testing.T) {
	const progress, result = "id: 3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n", "id: 4\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	const want = "id: 4\ndata: {\"jsonrpc\":\"2.0\",\"id\":70,\"result\":{}}\n\n"
	proxied, captured := &replaytest.Tape{}, &replaytest.Tape{}
	s := et.Asked(proxied, 0, "POST /mcp", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	et.Head(s, 0, "200 OK", "Content-Type: text/event-stream").Add(0, progress, et.Over(schema.SSE)).Add(0, result, et.Over(schema.SSE))
	et.Head(et.Asked(proxied, time.Second, "GET /mcp", nil, ""), time.Second, "405 Method Not Allowed").Add(time.Second, "")
	captured.Stream(schema.SSE, "mcp").Add(0, progress, et.Typed("notifications/message", "")).Add(0, result, et.Typed("result", ""))
	for name, tape := range map[string]*replaytest.Tape{"proxied": proxied, "captured": captured} {
		base := et.Serve(t, handler(tape)) + "/mcp?speed=max"
		if _, got := ask(t, http.DefaultClient, "POST", base, `{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"a"}}`); got != progress+want {
			t.Errorf("%s: the answer is %q", name, got)
		}
		for _, tc := range []struct {
			last   string
			status int
			want   string
		}{{"", 405, ""}, {"3", 200, want}, {"4", 204, ""}, {"unknown", 405, ""}} {
			res, got := ask(t, http.DefaultClient, "GET", base, "", "Last-Event-ID", tc.last)
			if res.StatusCode != tc.status || got != tc.want {
				t.Errorf("%s, after %q: %d %q, want %d %q", name, tc.last, res.StatusCode, got, tc.status, tc.want)
			}
		}
	}
}

// A stream of events that its client left stays open after the last recorded event, as the
// server's did: a client that is sent the end connects again and receives all of it once more.
func TestLeftStreamStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		et.Head(et.Asked(tape, 0, "GET /events", nil, ""), 0, "200 OK", "Content-Type: text/event-stream; charset=utf-8").
			Add(0, "data: 1\n\n", et.Over(schema.SSE)).Ended(schema.EndClientGone)
		ctx, leave := context.WithTimeout(t.Context(), time.Hour)
		defer leave()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, et.Base+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		res, err := et.ServePipe(t, handler(tape)).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got, err := et.Reads(res, start)
		if !errors.Is(err, context.DeadlineExceeded) || len(got) != 1 || got[0] != "0 data: 1\n\n" {
			t.Errorf("got %q, and then %v after %s", got, err, time.Since(start))
		}
	})
}
