package httpreplay_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/httpreplay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

const ms = time.Millisecond

// handler serves the session of a tape at /, with settings in the path's first
// segment where it has a semicolon.
func handler(tape *replaytest.Tape, change ...func(*emulate.Options)) http.Handler {
	stage := et.Stage(tape, change...)
	s := httpreplay.New(stage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, err := stage.Tape(r.Context(), "default", replaytest.Session)
		if err != nil {
			stage.Refuse(w, r, "test", err)
			return
		}
		s.Serve(w, r, "default", replaytest.Session, r.URL.Path, t, emulate.Pacing{})
	})
}

func ask(t *testing.T, client *http.Client, method, url, body string, fields ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
	}
	return res, string(text)
}

func said(tape *replaytest.Tape, at time.Duration, line, body, answer string) {
	s := et.Asked(tape, at, line, nil, body)
	et.Head(s, at+ms, "200 OK", "Content-Type: text/plain").Add(at+ms, answer)
}

// Status, fields, bytes and chunks come as recorded, at their times after the
// request.
func TestAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		s := et.Asked(tape, 5*time.Second, "POST /v1/chat?x=1", []string{"Authorization: [redacted]"}, `{"a":1}`)
		et.Head(s, 5*time.Second+200*ms, "201 Created", "Content-Type: text/event-stream", "Content-Encoding: gzip", "X-Kept: a",
			"X-Kept: b", "Set-Cookie: [redacted]", "Connection: X-Hop", "X-Hop: 1", "Strict-Transport-Security: max-age=9",
			"Content-Length: 17", "Trailer: X-Sum", "Tapedeck-Decoded: gzip").
			Add(5*time.Second+300*ms, "data: 1\n\n", et.Over(schema.SSE)).
			Add(5*time.Second+300*ms, ": c\n\n", et.Over(schema.SSE), func(f *schema.Frame) { f.Flags |= schema.FlagNote | schema.FlagJoined }).
			Add(5*time.Second+900*ms, "data: 22\n\n", et.Over(schema.SSE), func(f *schema.Frame) {
				f.Cuts = []schema.Cut{{Offset: 4, At: replaytest.Start + int64(5*time.Second+700*ms)}}
			}).
			Add(6*time.Second, "X-Sum: 7\r\n\r\n", func(f *schema.Frame) { f.Flags |= schema.FlagNote })
		// Another exchange goes on at the same time.
		et.Head(et.Asked(tape, 5*time.Second, "GET /other", nil, ""), 5*time.Second+250*ms, "200 OK").Add(5*time.Second+400*ms, "other")
		client := et.ServePipe(t, handler(tape))
		start := time.Now()
		res, err := client.Post(et.Base+"/v1/chat?x=1", "", strings.NewReader(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if at := time.Since(start); res.StatusCode != 201 || at != 200*ms {
			t.Errorf("status %d after %s", res.StatusCode, at)
		}
		got, err := et.Reads(res, start)
		want := []string{"300 data: 1\n\n: c\n\n", "700 data", "900 : 22\n\n"}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v\nwant %q", got, err, want)
		}
		h := res.Header
		if !slices.Equal(h["X-Kept"], []string{"a", "b"}) || h.Get("Content-Type") != "text/event-stream" || res.Trailer.Get("X-Sum") != "7" {
			t.Errorf("fields %v, trailers %v", h, res.Trailer)
		}
		for _, name := range []string{"Content-Encoding", "Content-Length", "Set-Cookie", "X-Hop", "Strict-Transport-Security", "Tapedeck-Decoded"} {
			if h.Get(name) != "" {
				t.Errorf("%s: %q came along", name, h.Get(name))
			}
		}
	})
}

func TestPace(t *testing.T) {
	for query, want := range map[string][]string{
		"":                           {"1000 a", "5000 b"},
		"?speed=2":                   {"500 a", "2500 b"},
		"?speed=max":                 {"0 ab"},
		"?idle_limit=2s":             {"1000 a", "3000 b"},
		"?from=%2B3s":                {"2000 b"},
		"?from=%2B2s&idle_limit=1s":  {"1000 b"},
		"?speed=4&idle_limit=2000ms": {"250 a", "750 b"},
	} {
		synctest.Test(t, func(t *testing.T) {
			tape := &replaytest.Tape{}
			et.Head(et.Asked(tape, 0, "GET /x", nil, ""), 0, "200 OK", "Content-Length: 2").Add(time.Second, "a").Add(5*time.Second, "b")
			client := et.ServePipe(t, handler(tape))
			start := time.Now()
			res, err := client.Get(et.Base + "/x" + query)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if got, err := et.Reads(res, start); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	tape := &replaytest.Tape{}
	said(tape, 0, "POST /run", `{"q":1}`, "first")
	said(tape, time.Second, "POST /run", `{"q":2}`, "second")
	said(tape, 2*time.Second, "GET /page?n=1&key=[redacted]", "", "page one")
	said(tape, 3*time.Second, "GET /page?n=2&key=[redacted]", "", "page two")
	said(tape, 4*time.Second, "GET /speed?speed=9", "", "theirs")
	base := et.Serve(t, handler(tape))
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/run?speed=max", "anything", 200, "first"},
		{"POST", "/run?speed=max", "", 200, "second"},
		{"POST", "/run?speed=max&end=stop", "", 409, "All 2 answers"},
		{"POST", "/run?speed=max&end=last", "", 200, "second"},
		{"POST", "/run?speed=max", "", 200, "first"},
		{"POST", "/run?speed=max&take=b", "", 200, "first"},
		{"POST", "/run?speed=max&take=c&match=body", ` {"user":"u","q":2}`, 200, "second"},
		{"POST", "/run?speed=max&take=c", "", 200, "first"},
		{"POST", "/run?take=d&match=body", `{"q":3}`, 409, "with other bodies only"},
		{"POST", "/run?speed=0", "", 400, "speed"},
		{"POST", "/run?from=type:none", "", 400, "from"},
		{"POST", "/run?take=e&speed=max&from=%2B500ms", "", 200, "second"},
		{"GET", "/run", "", 404, "POST /run (2 times)"},
		{"GET", "/page?n=2&key=mine&speed=max", "", 200, "page two"},
		{"GET", "/page?n=1&key=mine&speed=max", "", 200, "page one"},
		{"GET", "/page?n=3&take=f&speed=max", "", 200, "page one"},
		{"GET", "/speed?speed=9", "", 200, "theirs"},
		{"GET", "/speed?speed=9", "", 200, "theirs"},
		{"GET", "/page?n=2&key=mine&speed=max", "", 200, "page two"},
	} {
		res, got := ask(t, http.DefaultClient, c.method, base+c.path, c.body)
		if res.StatusCode != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, res.StatusCode, got, c.status, c.want)
		}
	}
}

// What broke off breaks off, so that nobody takes the last byte for the end.
func TestBrokenOff(t *testing.T) {
	tape := &replaytest.Tape{Running: true}
	et.Head(et.Asked(tape, 0, "GET /x", nil, ""), 0, "200 OK").Add(0, "half")
	et.Asked(tape, 0, "GET /silent", nil, "")
	base := et.Serve(t, handler(tape))
	res, err := http.Get(base + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err == nil || string(text) != "half" {
		t.Errorf("got %q, %v", text, err)
	}
	if res, text := ask(t, http.DefaultClient, "GET", base+"/silent", ""); res.StatusCode != 502 || !strings.Contains(text, "never answered") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
}

// An answer breaks off where its server did. What its client did not wait for
// ends in good order, unless the recorded head promises more.
func TestEndOfBody(t *testing.T) {
	for _, c := range []struct {
		reason, field string
		breaks        bool
	}{
		{schema.EndEOF, "X: y", false},
		{schema.EndClosed, "X: y", false},
		{schema.EndClientGone, "X: y", false},
		{schema.EndClientGone, "Content-Length: 100", true},
		{"error: the upstream cut the connection: reset", "X: y", true},
	} {
		tape := &replaytest.Tape{}
		et.Head(et.Asked(tape, 0, "GET /x", nil, ""), 0, "200 OK", c.field).Add(0, "half").Ended(c.reason)
		res, err := http.Get(et.Serve(t, handler(tape)) + "/x")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if string(text) != "half" || (err != nil) != c.breaks {
			t.Errorf("ended %q, %s: got %q, %v", c.reason, c.field, text, err)
		}
	}
}

func TestOrigins(t *testing.T) {
	tape := &replaytest.Tape{}
	et.Head(et.Asked(tape, 0, "POST /x", nil, ""), 0, "200 OK", "Access-Control-Allow-Origin: https://app.example").Add(0, "x")
	base := et.Serve(t, handler(tape))
	ui := []string{"Origin", "http://localhost:5173", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-a"}
	res, _ := ask(t, http.DefaultClient, "OPTIONS", base+"/x", "", ui...)
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Headers") != "x-a" {
		t.Errorf("the preflight: %d %v", res.StatusCode, res.Header)
	}
	res, text := ask(t, http.DefaultClient, "POST", base+"/x", "", ui[:2]...)
	if got := res.Header["Access-Control-Allow-Origin"]; !slices.Equal(got, ui[1:2]) || text != "x" {
		t.Errorf("allowed: %q, %q", got, text)
	}
	if res, _ = ask(t, http.DefaultClient, "POST", base+"/x", "", "Origin", "https://foreign.example"); res.StatusCode != 403 {
		t.Errorf("a foreign page got %d", res.StatusCode)
	}
	const listed = "https://stories.example"
	base = et.Serve(t, handler(tape, func(o *emulate.Options) { o.Origins = []string{listed} }))
	res, text = ask(t, http.DefaultClient, "POST", base+"/x", "", "Origin", listed, "Sec-Fetch-Site", "cross-site")
	if got := res.Header["Access-Control-Allow-Origin"]; !slices.Equal(got, []string{listed}) || text != "x" {
		t.Errorf("a listed page: %d %q, %q", res.StatusCode, got, text)
	}
	if res, _ = ask(t, http.DefaultClient, "POST", base+"/x", "", "Origin", "https://foreign.example"); res.StatusCode != 403 {
		t.Errorf("beside a listed page a foreign page got %d", res.StatusCode)
	}
}

// Streams of providers are served where the provider serves them.
func TestProviders(t *testing.T) {
	tape := &replaytest.Tape{}
	chat := tape.Stream(schema.SSE, "openai-chat")
	chat.Add(0, "data: {\"id\":\"1\"}\n\n", et.Typed("chat.completion.chunk", "1")).Add(10*ms, "data: [DONE]\n\n", et.Typed("[DONE]", "1"))
	chat.Add(2*time.Second, "data: {\"id\":\"2\"}\n\n", et.Typed("chat.completion.chunk", "2")).Add(2*time.Second, "data: [DONE]\n\n", et.Typed("[DONE]", "2"))
	tape.Stream(schema.NDJSON, "anthropic-messages").
		Add(0, "{\"type\":\"message_start\"}\n", et.Typed("message_start", "m")).
		Add(0, "{\"type\":\"message_stop\"}\n", et.Typed("message_stop", "m")).
		Add(0, "{\"type\":\"message\"}\n", et.Typed("message", "n"))
	tape.Stream(schema.NDJSON, "gemini").
		Add(0, "{\"responseId\":\"g\"}\n", et.Typed("", "g")).Add(0, "{\"responseId\":\"g\",\"n\":2}\n", et.Typed("", "g")).
		Add(0, "{\"responseId\":\"h\"}\n", et.Typed("", "h"))
	tape.Stream(schema.NDJSON, "openai-chat").Add(time.Second, "{\"id\":\"3\"}\n", et.Typed("chat.completion.chunk", "3"))
	tape.Stream(schema.NDJSON, "openai-chat").
		Add(0, "{\"id\":\"4\"}\n", et.Typed("text_completion", "4")).Add(0, "{\"id\":\"4\",\"n\":2}\n", et.Typed("text_completion", "4")).
		Add(0, "{\"id\":\"5\"}\n", et.Typed("text_completion", "5"))
	base := et.Serve(t, handler(tape))
	for _, c := range []struct{ path, kind, want string }{
		{"/v1/chat/completions", "text/event-stream; charset=utf-8", "data: {\"id\":\"1\"}\n\ndata: [DONE]\n\n"},
		{"/chat/completions?speed=max", "text/event-stream; charset=utf-8", "data: {\"id\":\"3\"}\n\ndata: [DONE]\n\n"},
		{"/chat/completions?speed=max", "text/event-stream; charset=utf-8", "data: {\"id\":\"2\"}\n\ndata: [DONE]\n\n"},
		{"/v1/messages", "text/event-stream; charset=utf-8",
			"event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
		{"/v1/completions", "text/event-stream; charset=utf-8", "data: {\"id\":\"4\"}\n\ndata: {\"id\":\"4\",\"n\":2}\n\ndata: [DONE]\n\n"},
		{"/v1/completions", "application/json", `{"id":"5"}`},
		{"/v1/messages", "application/json", `{"type":"message"}`},
		{"/v1beta/models/gemini-3:streamGenerateContent?alt=sse", "text/event-stream; charset=utf-8",
			"data: {\"responseId\":\"g\"}\n\ndata: {\"responseId\":\"g\",\"n\":2}\n\n"},
		{"/models/other:streamGenerateContent", "text/event-stream; charset=utf-8", "data: {\"responseId\":\"h\"}\n\n"},
	} {
		res, got := ask(t, http.DefaultClient, "POST", base+c.path, "{}")
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != c.kind || got != c.want {
			t.Errorf("%s: %d %s %q, want %q", c.path, res.StatusCode, res.Header.Get("Content-Type"), got, c.want)
		}
	}
}

// A server's message waits for the client's before it.
func TestSocket(t *testing.T) {
	tape := &replaytest.Tape{}
	s := et.Asked(tape, 0, "GET /live", []string{"Connection: Upgrade", "Upgrade: websocket"}, "")
	et.Head(s, 0, "101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
	over := et.Over(schema.WebSocket)
	s.Add(0, "hello", over).Add(time.Hour, "ask", over, et.Sent).Add(time.Hour+20*ms, "answer", over).
		Add(2*time.Hour, "ask", over, et.Sent).
		Add(2*time.Hour, "\x00", over, func(f *schema.Frame) { f.Flags |= schema.FlagBinary }).
		Add(2*time.Hour, "close 4001 bye", func(f *schema.Frame) { f.Flags |= schema.FlagNote })
	metrics := prometheus.NewRegistry()
	shown := metrictest.Gathered(metrics)
	base := et.Serve(t, handler(tape, func(o *emulate.Options) { o.Registerer = metrics }))
	conn, _, err := websocket.Dial(t.Context(), base+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	hear := func(want string) {
		t.Helper()
		if _, got, err := conn.Read(t.Context()); err != nil || string(got) != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	say := func() {
		t.Helper()
		if err := conn.Write(context.Background(), websocket.MessageText, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	hear("hello")
	shown.Show(t, "tapedeck_emulate_connections")
	start := time.Now()
	say()
	hear("answer")
	if took := time.Since(start); took < 19*ms {
		t.Errorf("the answer came after %s", took)
	}
	say()
	hear("\x00")
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != 4001 {
		t.Errorf("closed with %v", err)
	}
	shown.Show(t, "tapedeck_emulate_requests_total")
}

func FuzzHeads(f *testing.F) {
	f.Add("GET /a?b=c HTTP/1.1", "200 OK", "A: b")
	f.Add("GET", "2000", ": \x00")
	f.Fuzz(func(t *testing.T, line, status, field string) {
		if _, err := url.Parse("/"); err != nil {
			t.Fatal(err)
		}
		tape := &replaytest.Tape{}
		et.Head(et.Asked(tape, 0, line, []string{field}, "x"), 0, status, field).Add(0, "x")
		rec := &discard{h: http.Header{}}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "/a?b=c", http.NoBody)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		handler(tape).ServeHTTP(rec, req)
		if rec.status == 0 {
			t.Error("no answer")
		}
	})
}

type discard struct {
	h      http.Header
	status int
}

func (d *discard) Header() http.Header              { return d.h }
func (d *discard) Write(p []byte) (int, error)      { return len(p), nil }
func (d *discard) WriteHeader(status int)           { d.status = status }
func (d *discard) Flush()                           {}
func (d *discard) SetWriteDeadline(time.Time) error { return nil }
