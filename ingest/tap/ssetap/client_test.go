package ssetap_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/ssetap"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script answers one request after the other; the last answer is repeated.
type script struct {
	t       *testing.T
	mu      sync.Mutex // guards requests
	seen    []*http.Request
	bodies  []string
	answers []func(w http.ResponseWriter, r *http.Request)
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen, s.bodies = append(s.seen, r), append(s.bodies, string(body))
	answer := s.answers[min(len(s.seen), len(s.answers))-1]
	s.mu.Unlock()
	answer(w, r)
}

func (s *script) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

type answer = func(w http.ResponseWriter, r *http.Request)

func events(text string) answer { return typed("text/event-stream", text) }

func typed(media, text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, text)
	}
}

func status(code int, text string, headers ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// breaks sends text and breaks the connection off.
func breaks(text string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		events(text)(w, r)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func record(t *testing.T, m *ingesttest.Memory, opts ssetap.Options, answers ...answer) (*script, ssetap.Result, error) {
	t.Helper()
	s := &script{t: t, answers: answers}
	server := httptest.NewServer(s)
	defer server.Close()
	opts.URL = server.URL + "/agent/run?token=secret"
	if opts.Retry == 0 {
		opts.Retry = time.Millisecond
	}
	rec := ingest.NewRecorder(m, ingest.Settings{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := ssetap.Record(ctx, rec, ingest.StreamOptions{Session: "s", Dialect: "generic"}, opts)
	bounded.Wait(t, m.Wait)
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error contains the token: %v", err)
	}
	return s, result, err
}

func TestEndings(t *testing.T) {
	stop := status(204, "")
	for name, tc := range map[string]struct {
		opts     ssetap.Options
		answers  []answer
		requests int
		raw      string
		reason   string // "" if there is no stream
		err      string
	}{
		"to 204":            {ssetap.Options{}, []answer{events("data: 1\n\n"), events("data: 2\n\n"), stop}, 3, "data: 1\n\ndata: 2\n\n", "eof", ""},
		"204 at once":       {ssetap.Options{}, []answer{stop}, 1, "", "", ""},
		"[DONE]":            {ssetap.Options{}, []answer{events("data: 1\n\ndata: [DONE]\n\n: bye\n\n")}, 1, "data: 1\n\ndata: [DONE]\n\n: bye\n\n", "eof", ""},
		"[DONE], then more": {ssetap.Options{}, []answer{events("data: [DONE]\n\ndata: 1\n\n"), stop}, 2, "data: [DONE]\n\ndata: 1\n\n", "eof", ""},
		"[DONE], breaks":    {ssetap.Options{}, []answer{breaks("data: [DONE]\n\n")}, 1, "data: [DONE]\n\n", "eof", ""},
		"once":              {ssetap.Options{Once: true}, []answer{events("data: 1\n\n")}, 1, "data: 1\n\n", "eof", ""},
		"once, breaks":      {ssetap.Options{Once: true}, []answer{breaks("data: 1\n\nda")}, 1, "data: 1\n\nda", "error: the connection broke: unexpected EOF", "unexpected EOF"},
		"breaks":            {ssetap.Options{}, []answer{breaks("data: 1\n\nda"), events("data: 2\n\n"), stop}, 3, "data: 1\n\ndadata: 2\n\n", "eof", ""},
		"POST":              {ssetap.Options{Body: []byte("{}")}, []answer{events("data: 1\n\n")}, 1, "data: 1\n\n", "eof", ""},
		"POST, breaks":      {ssetap.Options{Body: []byte("{}")}, []answer{breaks("data: 1\n\n")}, 1, "data: 1\n\n", "error: the connection broke: unexpected EOF", "unexpected EOF"},
		"POST, 503":         {ssetap.Options{Body: []byte("{}")}, []answer{status(503, "later")}, 1, "", "", "503 Service Unavailable: later"},
		"PUT":               {ssetap.Options{Method: "PUT"}, []answer{events("data: 1\n\n")}, 1, "data: 1\n\n", "eof", ""},
		"lines":             {ssetap.Options{}, []answer{typed("application/x-ndjson", "{}\n{}\n")}, 1, "{}\n{}\n", "eof", ""},
		"no type, events":   {ssetap.Options{}, []answer{typed("", "\n: hi\n\ndata: 1\n\n"), stop}, 2, "\n: hi\n\ndata: 1\n\n", "eof", ""},
		"401":               {ssetap.Options{}, []answer{status(401, "{\n  \"error\": \"bad key\"\n}")}, 1, "", "", `401 Unauthorized: { "error": "bad key" }`},
		"404, long":         {ssetap.Options{}, []answer{status(404, strings.Repeat("x", 2000))}, 1, "", "", strings.Repeat("x", 512) + " …"},
		"401 later":         {ssetap.Options{}, []answer{events("data: 1\n\n"), status(401, "expired")}, 2, "data: 1\n\n", "error: the server answered 401 Unauthorized: expired", "expired"},
		"429, 500, then":    {ssetap.Options{}, []answer{status(429, ""), status(500, ""), status(408, ""), events("data: 1\n\n"), stop}, 5, "data: 1\n\n", "eof", ""},
		"a page":            {ssetap.Options{}, []answer{typed("text/html", "<p>Log in</p>")}, 1, "", "", `"text/html": <p>Log in</p>`},
		"unknown encoding":  {ssetap.Options{}, []answer{status(200, "x", "Content-Type", "text/event-stream", "Content-Encoding", "rot13")}, 1, "", "", `"rot13"`},
	} {
		t.Run(name, func(t *testing.T) {
			var m ingesttest.Memory
			s, result, err := record(t, &m, tc.opts, tc.answers...)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if got := len(s.requests()); got != tc.requests {
				t.Errorf("%d requests, want %d", got, tc.requests)
			}
			if raw := body(&m, result.StreamID); raw != tc.raw {
				t.Errorf("recorded %q, want %q", raw, tc.raw)
			}
			if len(m.Streams()) > 1 {
				t.Error("more than one stream")
			}
			state, _ := m.State(result.StreamID, "s")
			if state.EndReason != tc.reason || strings.Contains(state.Source, "secret") {
				t.Errorf("state %+v, want it to end with %q", state, tc.reason)
			}
		})
	}
}

// body returns what was received in a stream, without the notes.
func body(m *ingesttest.Memory, id string) string {
	var b strings.Builder
	for _, f := range m.Frames(id) {
		if f.Direction == schema.Receive && !(f.Transport == schema.HTTP && f.Flags.Has(schema.FlagNote)) {
			b.Write(f.Raw)
		}
	}
	return b.String()
}

// A request that is not repeated is recorded with its answer, without its secrets, as the proxy records
// an exchange.
func TestRecordedRequest(t *testing.T) {
	var m ingesttest.Memory
	const sent = `{"q":1,"api_key":"obviously-false"}`
	s, result, err := record(t, &m, ssetap.Options{Body: []byte(sent), Header: http.Header{"authorization": {"Bearer obviously-false"}, "Content-Type": {"application/json"}}}, events("data: 1\n\n"))
	if err != nil || s.bodies[0] != sent {
		t.Fatalf("%v, sent %q", err, s.bodies)
	}
	frames := m.Frames(result.StreamID)
	host := s.requests()[0].Host
	for i, want := range []struct {
		way  schema.Direction
		of   schema.Transport
		note bool
		text string
	}{
		{schema.Send, schema.HTTP, true, "POST /agent/run?token=[redacted] HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/event-stream, application/x-ndjson;q=0.9\r\n" +
			"Authorization: [redacted]\r\nCache-Control: no-cache\r\nContent-Type: application/json\r\n\r\n"},
		{schema.Send, schema.HTTP, false, `{"q":1,"api_key":"[redacted]"}`},
		{schema.Receive, schema.HTTP, true, "HTTP/1.1 200 OK\r\n"},
		{schema.Receive, schema.SSE, false, "data: 1\n\n"},
	} {
		if i >= len(frames) {
			t.Fatalf("%d frames", len(frames))
		}
		f := frames[i]
		if f.Direction != want.way || f.Transport != want.of || f.Flags.Has(schema.FlagNote) != want.note || !strings.HasPrefix(string(f.Raw), want.text) {
			t.Errorf("frame %d: %v %v %v %q, want %q", i, f.Direction, f.Transport, f.Flags, f.Raw, want.text)
		}
	}
	state, _ := m.State(result.StreamID, "s")
	if want := "POST http://" + host + "/agent/run?token=[redacted]"; state.Source != want || state.Transport != schema.HTTP {
		t.Errorf("source %q over %v, want %q", state.Source, state.Transport, want)
	}
}

// Bodies of other kinds lose their secrets too: lines, and forms with files.
func TestRecordedBodies(t *testing.T) {
	for media, body := range map[string]string{
		"application/x-ndjson":              `{"token":"hide it"}` + "\n" + `{"api_key":"hide it"}` + "\n",
		"application/x-www-form-urlencoded": "token=hide it&password=hide it",
		"multipart/form-data; boundary=xyz": "--xyz\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nhide it\r\n" +
			"--xyz\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhide it\r\n--xyz--\r\n",
	} {
		var m ingesttest.Memory
		s, result, err := record(t, &m, ssetap.Options{Body: []byte(body), Header: http.Header{"Content-Type": {media}}}, events("data: 1\n\n"))
		if err != nil || s.bodies[0] != body {
			t.Fatalf("%v, sent %q", err, s.bodies)
		}
		recorded := ""
		for _, f := range m.Frames(result.StreamID) {
			if f.Direction == schema.Send && !f.Flags.Has(schema.FlagNote) {
				recorded += string(f.Raw)
			}
		}
		if want := strings.ReplaceAll(body, "hide it", "[redacted]"); recorded != want {
			t.Errorf("%s: recorded %q", media, recorded)
		}
	}
}

// TestRequests: what is sent, the first time and when connecting again.
func TestRequests(t *testing.T) {
	var m ingesttest.Memory
	s, result, err := record(t, &m, ssetap.Options{Header: http.Header{"authorization": {"Bearer x"}}},
		events("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: cut off\n"),
		events("data: no id\n\n"),
		events("id\ndata: taken back\n\n"),
		status(204, ""))
	if err != nil || result.Connections != 3 {
		t.Fatalf("%+v, %v", result, err)
	}
	var ids []string
	for _, r := range s.requests() {
		ids = append(ids, r.Header.Get("Last-Event-ID"))
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer x" || !strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
			t.Errorf("request %s %v", r.Method, r.Header)
		}
	}
	if want := []string{"", "2", "2", ""}; !slices.Equal(ids, want) {
		t.Errorf("Last-Event-ID %q, want %q", ids, want)
	}
	s, _, err = record(t, &m, ssetap.Options{Body: []byte(`{"q":1}`), Header: http.Header{"Accept": {"*/*"}}}, events("data: 1\n\n"))
	if r := s.requests()[0]; err != nil || r.Method != http.MethodPost || s.bodies[0] != `{"q":1}` || r.Header.Get("Accept") != "*/*" {
		t.Errorf("request %s %q %v, %v", r.Method, s.bodies, r.Header, err)
	}
}

// TestLive: a frame is recorded when it comes, also from an encoded answer, and
// a stop is no error.
func TestLive(t *testing.T) {
	for _, encoding := range []string{"", "gzip"} {
		t.Run("encoding "+encoding, func(t *testing.T) {
			var m ingesttest.Memory
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				var out io.Writer = w
				flush := func() {}
				if encoding != "" {
					w.Header().Set("Content-Encoding", encoding)
					z := gzip.NewWriter(w)
					out, flush = z, func() { _ = z.Flush() }
				}
				for i := range 3 {
					fmt.Fprintf(out, "data: %d\n\n", i)
					flush()
					_ = http.NewResponseController(w).Flush()
					for count(&m) <= i && r.Context().Err() == nil {
						time.Sleep(time.Millisecond) // between two looks at the frames
					}
				}
				cancel()
				<-r.Context().Done()
			}))
			defer server.Close()
			rec := ingest.NewRecorder(&m, ingest.Settings{})
			result, err := ssetap.Record(ctx, rec, ingest.StreamOptions{Session: "s", Dialect: "generic"}, ssetap.Options{URL: server.URL})
			if err != nil || result.Frames != 3 || result.Connections != 1 {
				t.Errorf("%+v, %v", result, err)
			}
			if state, _ := m.State(result.StreamID, "s"); state.EndReason != "closed" {
				t.Errorf("ended with %q", state.EndReason)
			}
		})
	}
}

func count(m *ingesttest.Memory) int {
	n := 0
	for _, b := range m.Blocks() {
		n += len(b.Frames)
	}
	return n
}

// A redirect to another host does not take along the header fields that were given for the first one.
func TestRedirectKeepsSecrets(t *testing.T) {
	var seen []http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		events("data: 1\n\n")(w, r)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/same" {
			seen = append(seen, r.Header)
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		http.Redirect(w, r, "/same", http.StatusFound)
	}))
	defer first.Close()
	var memory ingesttest.Memory
	rec := ingest.NewRecorder(&memory, ingest.Settings{})
	_, err := ssetap.Record(t.Context(), rec, ingest.StreamOptions{}, ssetap.Options{
		URL: first.URL, Header: http.Header{"X-Api-Key": {"k"}, "Authorization": {"Bearer k"}}, Once: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[0].Get("X-Api-Key") != "k" {
		t.Fatalf("%d requests; within one host the header is kept: %v", len(seen), seen)
	}
	for _, name := range []string{"X-Api-Key", "Authorization", "Referer"} {
		if seen[1].Get(name) != "" {
			t.Errorf("the other host received %s: %s", name, seen[1].Get(name))
		}
	}
}

func TestNotRecorded(t *testing.T) {
	fault := errors.New("no room")
	var m ingesttest.Memory
	m.Refuse(fault)
	if _, _, err := record(t, &m, ssetap.Options{}, events("data: 1\n\n")); !errors.Is(err, fault) {
		t.Errorf("error %v, want the publisher's", err)
	}
	rec := ingest.NewRecorder(&m, ingest.Settings{})
	for _, address := range []string{"", "localhost:80", "ftp://x/", "http://"} {
		if _, err := ssetap.Record(t.Context(), rec, ingest.StreamOptions{}, ssetap.Options{URL: address}); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
	if _, err := ssetap.Record(t.Context(), rec, ingest.StreamOptions{}, ssetap.Options{URL: "http://127.0.0.1:1/?secret", Once: true}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody there: %v", err)
	}
}
