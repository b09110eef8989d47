package mcpserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/apiclient"
)

// A cursor is that of its tool, its session and its arguments.
func TestCursorsOfOtherCalls(t *testing.T) {
	s := connect(t, &fakeAPI{n: 400, text: "x"})
	cursorOf := func(tool string, arguments map[string]any) string {
		t.Helper()
		text, _ := ask(t, s, tool, arguments)
		_, after, found := strings.Cut(text, `"cursor":"`)
		if !found {
			t.Fatalf("%s %v has no cursor: %.200s", tool, arguments, text)
		}
		cursor, _, _ := strings.Cut(after, `"`)
		return cursor
	}
	outline := cursorOf("session_outline", map[string]any{"session": "a"})
	messages := cursorOf("read_messages", map[string]any{"session": "a"})
	for name, tc := range map[string]struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		"its own":              {"session_outline", map[string]any{"session": "a", "cursor": outline}, ""},
		"another session":      {"session_outline", map[string]any{"session": "b", "cursor": outline}, `"cursor" belongs to another call`},
		"another tool":         {"session_errors", map[string]any{"session": "a", "cursor": outline}, `"cursor" belongs to another call`},
		"other arguments":      {"read_messages", map[string]any{"session": "a", "kind": []string{"user"}, "cursor": messages}, `"cursor" belongs to another call`},
		"messages of another":  {"read_messages", map[string]any{"session": "b", "cursor": messages}, `"cursor" belongs to another call`},
		"no cursor":            {"session_outline", map[string]any{"session": "a", "cursor": "x"}, `is not a cursor`},
		"no session":           {"session_outline", map[string]any{"session": ""}, `"session" is empty: call find_sessions`},
		"an unknown span":      {"read_span", map[string]any{"session": "a", "span": "x"}, `has no span "x": call session_outline`},
		"an unknown message":   {"read_messages", map[string]any{"session": "a", "message": "x"}, `has no message "x"`},
		"an unknown kind":      {"read_messages", map[string]any{"session": "a", "kind": []string{"x"}}, `must be one of system, user`},
		"an unknown position":  {"read_frames", map[string]any{"session": "a", "position": "9.9"}, "Call read_frames with the session and without position"},
		"a query of 2,000":     {"search_text", map[string]any{"query": strings.Repeat("x", 2000)}, "at most 1000"},
		"one session compared": {"compare_sessions", map[string]any{"a": "a", "b": ""}, `call find_sessions`},
	} {
		text, failed := ask(t, s, tc.tool, tc.arguments)
		if failed != (tc.want != "") || !strings.Contains(text, tc.want) {
			t.Errorf("%s: failed %v: %.300s; want %q", name, failed, text, tc.want)
		}
	}
}

// What a client sent wrong is quoted in part only.
func TestLongMistakes(t *testing.T) {
	s := connect(t, &fakeAPI{n: 1, text: "x"})
	long := strings.Repeat("x", 100_000)
	for name, arguments := range map[string]map[string]any{
		"another type":      {"query": []string{long}},
		"an unknown member": {long: 1},
	} {
		text, failed := ask(t, s, "find_sessions", arguments)
		if !failed || len(text) < 100 || len(text) > windowSize+len("…") {
			t.Errorf("%s: refused %v with %d bytes, want at most %d", name, failed, len(text), windowSize)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: long}); err == nil || len(err.Error()) > windowSize+200 {
		t.Errorf("an unknown tool: %.200v", err)
	}
}

// Tools call the API with the credential, the tenant, the address and the host of their request, and
// with no other field of it.
func TestCredentialsOfTheRequest(t *testing.T) {
	var asked atomic.Pointer[http.Request]
	api := &fakeAPI{n: 1, asks: func(r *http.Request) { asked.Store(r) }}
	r := httptest.NewRequest(http.MethodPost, "http://td.example/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_sessions","arguments":{}}}`))
	fields := map[string]string{"Authorization": "Bearer td_x", apiclient.TenantHeader: "acme", "Cookie": "a=b", "X-Forwarded-For": "1.2.3.4"}
	for name, value := range fields {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", "x")
	r.RemoteAddr = "9.8.7.6:5"
	w := httptest.NewRecorder()
	Handler("test", api).ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `\"outline\"`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	got := asked.Load()
	for name, want := range fields {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if got.RemoteAddr != r.RemoteAddr || got.Host != "td.example" || got.Header.Get("Mcp-Session-Id") != "" || got.Method != http.MethodGet {
		t.Errorf("%s of %s to %s, session %q", got.Method, got.RemoteAddr, got.Host, got.Header.Get("Mcp-Session-Id"))
	}
}

// A request is bounded, holds no session, and runs its calls one after another.
func TestRequests(t *testing.T) {
	var running, most atomic.Int64
	api := &fakeAPI{n: 1, asks: func(*http.Request) {
		most.Store(max(most.Load(), running.Add(1)))
		time.Sleep(2 * time.Millisecond) // calls that run concurrently overlap
		running.Add(-1)
	}}
	server := httptest.NewServer(Handler("test", api))
	defer server.Close()
	send := func(method, body, version string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if version != "" {
			r.Header.Set("Mcp-Protocol-Version", version)
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text), resp.Header
	}
	if code, _, _ := send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", bodyLimit)+`"}}`, ""); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large request: %d", code)
	}
	if code, _, _ := send(http.MethodGet, "", ""); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", code)
	}
	_, text, header := send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "")
	if header.Get("Mcp-Session-Id") != "" || !strings.Contains(text, `"protocolVersion":"2025-06-18"`) || !strings.Contains(text, "find_sessions") {
		t.Errorf("initialize: session %q, %.300s", header.Get("Mcp-Session-Id"), text)
	}
	one := `{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"find_sessions","arguments":{}}}`
	var batch []string
	for i := range 20 {
		batch = append(batch, strings.Replace(one, "%", string(rune('1'+i%9))+strings.Repeat("0", i/9), 1))
	}
	if code, text, _ := send(http.MethodPost, "["+strings.Join(batch, ",")+"]", "2025-03-26"); code != http.StatusOK || strings.Count(text, `"jsonrpc"`) != 20 {
		t.Errorf("a batch: %d, %d answers: %.300s", code, strings.Count(text, `"jsonrpc"`), text)
	}
	if most.Load() != 1 {
		t.Errorf("%d calls of one request ran at a time", most.Load())
	}
}

// The same tools answer over any transport, by a client of the API over the network.
func TestOverNetwork(t *testing.T) {
	api := httptest.NewServer(&fakeAPI{n: 2, text: "x"})
	defer api.Close()
	client, err := apiclient.New(api.URL, "td_x")
	if err != nil {
		t.Fatal(err)
	}
	client.HTTP = api.Client()
	here, there := mcp.NewInMemoryTransports()
	server, err := New("test", func(context.Context) *apiclient.Client { return client }, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := ask(t, s, "find_sessions", map[string]any{}); failed || !strings.HasPrefix(text, `{"outline":"2 sessions."`) {
		t.Errorf("failed %v: %.200s", failed, text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_ = server.Wait() // ends with the client
}
