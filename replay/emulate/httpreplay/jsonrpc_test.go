package httpreplay_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// called adds a JSON-RPC exchange whose answer is JSON, and has a session id as a proxy records it.
func called(tape *replaytest.Tape, n int, body, answer string) {
	at := time.Duration(n) * time.Second
	s := et.Asked(tape, at, "POST /mcp", nil, body)
	et.Head(s, at+ms, "200 OK", "Content-Type: application/json", "Mcp-Session-Id: [redacted]",
		fmt.Sprintf("Content-Length: %d", len(answer))).Add(at+ms, answer, et.Over(schema.HTTP))
}

// mcpTape is a session of MCP with the methods initialize, tools/list and tools/call.
func mcpTape() *replaytest.Tape {
	tape := &replaytest.Tape{}
	called(tape, 0, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"version":"1"}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{}}}`)
	s := et.Asked(tape, time.Duration(1)*time.Second, "POST /mcp", nil, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	et.Head(s, time.Duration(1)*time.Second, "202 Accepted").Add(time.Duration(1)*time.Second, "")
	called(tape, 2, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":["a","b"]}}`)
	called(tape, 3, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"n":1,"key":"[redacted]"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":"a1"}`)
	called(tape, 4, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"n":2}}}`,
		`{"jsonrpc":"2.0","id":3,"result":"a2"}`)
	s = et.Asked(tape, time.Duration(5)*time.Second, "POST /mcp", nil,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"b","_meta":{"progressToken":4}}}`)
	et.Head(s, time.Duration(5)*time.Second, "200 OK", "Content-Type: text/event-stream").
		Add(time.Duration(5)*time.Second, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":4,\"progress\":1}}\n\n", et.Over(schema.SSE)).
		Add(time.Duration(5)*time.Second, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"sampling/createMessage\"}\n\n", et.Over(schema.SSE)).
		Add(time.Duration(5)*time.Second, "event: message\nid: 9\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\ndata: \"result\":\"b\"}\n\n", et.Over(schema.SSE))
	return tape
}

// A JSON-RPC request has the answer to the same method and params, with its own id, whatever was
// asked before.
func TestJSONRPC(t *testing.T) {
	base := et.Serve(t, handler(mcpTape()))
	for _, tc := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"arguments":{"n":2},"name":"a"}}`,
			`{"jsonrpc":"2.0","id":"x","result":"a2"}`},
		{`{"jsonrpc":"2.0","id":12345,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":12345,"result":{"tools":["a","b"]}}`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{"progressToken":8}}}`, `{"jsonrpc":"2.0","id":8,"result":{"tools":["a","b"]}}`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","arguments":{"n":1,"key":"sk-mine"}}}`, `{"jsonrpc":"2.0","id":9,"result":"a1"}`},
		{`{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"clientInfo":{"version":"2"}}}`, `{"jsonrpc":"2.0","id":10,"result":{"serverInfo":{}}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"b","_meta":{"progressToken":"p"}}}`,
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":1}}\n\n" +
				"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"sampling/createMessage\"}\n\n" +
				"event: message\nid: 9\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\ndata: \"result\":\"b\"}\n\n"},
		{`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"b"}}`,
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":4,\"progress\":1}}\n\n" +
				"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"sampling/createMessage\"}\n\n" +
				"event: message\nid: 9\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":\"b\"}\n\n"},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ""},
	} {
		res, got := ask(t, http.DefaultClient, "POST", base+"/mcp?speed=max", tc.body)
		if res.StatusCode >= 300 || got != tc.want {
			t.Errorf("%s:\n%d %s\nwant %s", tc.body, res.StatusCode, got, tc.want)
		}
	}
	for body, code := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`:                                                    -32601,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"c"}}`:                                -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":3}}}&match=body`: -32602,
		`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]`:                       -32601,
	} {
		body, query, _ := strings.Cut(body, "&")
		res, got := ask(t, http.DefaultClient, "POST", base+"/mcp?speed=max&"+query, body)
		var answers []struct {
			ID    int
			Error struct{ Code int }
		}
		if !strings.HasPrefix(got, "[") {
			got = "[" + got + "]"
		}
		if err := json.Unmarshal([]byte(got), &answers); err != nil || res.StatusCode != 200 {
			t.Fatalf("%s: %d %s, %v", body, res.StatusCode, got, err)
		}
		for i, a := range answers {
			if a.ID != i+1 || a.Error.Code != code || len(answers) != strings.Count(body, "jsonrpc") {
				t.Errorf("%s: got %s, want the code %d", body, got, code)
			}
		}
	}
}

// Messages of A2A have ids that the client makes up, and are found again without them.
func TestJSONRPCMessageIDs(t *testing.T) {
	tape := &replaytest.Tape{}
	for i, text := range []string{"one", "two"} {
		called(tape, i, fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":"message/send","params":{"message":{"messageId":"m%d","parts":[{"text":"%s"}]}}}`, i, i, text),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","result":"%s"}`, i, text))
	}
	base := et.Serve(t, handler(tape))
	for _, text := range []string{"two", "one"} {
		_, got := ask(t, http.DefaultClient, "POST", base+"/mcp?match=body&speed=max",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"messageId":"new","parts":[{"text":"%s"}]}}}`, text))
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":"%s"}`, text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The answer to a request that arrives on another stream has the id of that request too.
func TestJSONRPCOnAnotherStream(t *testing.T) {
	tape := &replaytest.Tape{}
	s := et.Asked(tape, 0, "POST /mcp", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	et.Head(s, 0, "202 Accepted").Add(0, "")
	s = et.Asked(tape, time.Duration(1)*time.Second, "GET /mcp", nil, "")
	et.Head(s, time.Duration(1)*time.Second, "200 OK", "Content-Type: text/event-stream").
		Add(time.Duration(1)*time.Second, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"late\"}\n\n", et.Over(schema.SSE))
	base := et.Serve(t, handler(tape))
	ask(t, http.DefaultClient, "POST", base+"/mcp?speed=max", `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"slow"}}`)
	if _, got := ask(t, http.DefaultClient, "GET", base+"/mcp?speed=max", ""); got != "data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":\"late\"}\n\n" {
		t.Errorf("got %q", got)
	}
}

// An emulated MCP server names its session, and refuses sessions that it does not know or that
// have ended, though the recorded ids are masked.
func TestMCPSession(t *testing.T) {
	base := et.Serve(t, handler(mcpTape()))
	const list = `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`
	begin := func() string {
		res, _ := ask(t, http.DefaultClient, "POST", base+"/mcp?speed=max", `{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		return res.Header.Get("Mcp-Session-Id")
	}
	a, b := begin(), begin()
	if a == "" || a == b || strings.Contains(a, "redacted") {
		t.Fatalf("sessions %q and %q", a, b)
	}
	for _, tc := range []struct {
		method, id string
		status     int
	}{
		{"POST", a, 200}, {"POST", "unknown", 404}, {"POST", "", 200}, {"DELETE", a, 204},
		{"POST", a, 404}, {"DELETE", a, 404}, {"POST", b, 200}, {"GET", a, 404},
	} {
		body := ""
		if tc.method == "POST" {
			body = list
		}
		res, got := ask(t, http.DefaultClient, tc.method, base+"/mcp?speed=max", body, "Mcp-Session-Id", tc.id)
		if res.StatusCode != tc.status {
			t.Errorf("%s in %q: %d %s, want %d", tc.method, tc.id, res.StatusCode, got, tc.status)
		}
		if res.StatusCode == 200 && res.Header.Get("Mcp-Session-Id") != tc.id {
			t.Errorf("%s in %q: the answer is in %q", tc.method, tc.id, res.Header.Get("Mcp-Session-Id"))
		}
	}
}
