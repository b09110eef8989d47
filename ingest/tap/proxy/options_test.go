package proxy

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

func TestOptionsRefused(t *testing.T) {
	rec := ingest.NewRecorder(nil, ingest.Settings{})
	for _, tc := range []struct {
		opts Options
		says string
	}{
		{Options{Upstream: "localhost:80", Recorder: rec}, "not a URL like"},
		{Options{Upstream: "ftp://x", Recorder: rec}, "not a URL like"},
		{Options{Upstream: "http://x"}, "no recorder"},
		{Options{Upstream: "http://x", Recorder: rec, Stream: ingest.StreamOptions{Dialect: "klingon"}}, "klingon"},
		{Options{Upstream: "http://x", Recorder: rec, Stream: ingest.StreamOptions{Session: "\n"}}, "control characters"},
		{Options{Upstream: "http://x", Recorder: rec, Stream: ingest.StreamOptions{Tenant: "a b"}}, "tenant"},
	} {
		if _, err := New(tc.opts); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v", tc.opts, err)
		}
	}
}

func TestSessions(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("X-Session")) }),
		func(o *Options) {
			o.SessionHeader = "x-session"
			o.Stream = ingest.StreamOptions{Tenant: "acme", Dialect: "generic", Tags: map[string]string{"a": "b"}}
		})
	for i, name := range []string{"talk-1", "", "bad\tname"} {
		req := s.request(t, "GET", "/", "")
		if name != "" {
			req.Header.Set("X-Session", name)
		}
		if _, got := s.do(t, req); got != name {
			t.Errorf("the upstream saw session %q, not %q", got, name)
		}
		s.recorded(t, i+1) // so that the streams begin one after the other
	}
	all := s.recorded(t, 3)
	slices.SortFunc(all, func(a, b recorded) int { return cmp.Compare(a.state.FirstAt, b.state.FirstAt) })
	if all[0].session != "talk-1" || all[1].session != all[1].state.StreamID || all[2].session != all[2].state.StreamID {
		t.Errorf("sessions %q %q %q", all[0].session, all[1].session, all[2].session)
	}
	if b := s.memory.Blocks()[0]; b.Tenant != "acme" || b.State.Tags["a"] != "b" {
		t.Errorf("tenant %q, tags %v", b.Tenant, b.State.Tags)
	}
}

func TestForwarded(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+" "+r.Header.Get("X-Forwarded-For")+" "+r.Header.Get("X-Forwarded-Host"))
	}), func(o *Options) { o.Forwarded, o.Hosts = true, []string{"public.example"} })
	req := s.request(t, "GET", "/", "")
	req.Host = "public.example"
	req.Header.Set("X-Forwarded-For", "10.0.0.1")
	want := strings.TrimPrefix(s.upstream.URL, "http://") + " 10.0.0.1, 127.0.0.1 public.example"
	if _, got := s.do(t, req); got != want {
		t.Errorf("the upstream saw %q, want %q", got, want)
	}
}

// No secret of a head is recorded; all else of it is.
func TestRedaction(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = []string{"sid=HIDE1", "b=HIDE2"}
		w.Header().Set("Location", "/next?a=1&access_token=HIDE3#id_token=HIDE4&b=2")
		w.Header().Set("X-Plain", "shown")
	}), func(o *Options) {
		o.Redact = []string{"x-mine", "Mine"}
	})
	req := s.request(t, "GET", "/v1/models?x=1&key=HIDE5&API%5FKEY=HIDE6&mine=HIDE7&flag&monkey=banana", "")
	for name, value := range map[string]string{
		"Authorization": "Bearer HIDE8", "Proxy-Authorization": "HIDE9", "Cookie": "HIDE10", "X-Api-Key": "HIDE11", "Api-Key": "HIDE12",
		"X-Goog-Api-Key": "HIDE13", "X-Mine": "HIDE14", "Referer": "https://a.example/?token=HIDE15&q=1", "X-Other": "shown",
	} {
		req.Header.Set(name, value)
	}
	s.do(t, req)
	r := s.one(t)
	heads := strings.Join(append(r.notes(schema.Send), r.notes(schema.Receive)...), "")
	for _, text := range []string{heads, r.state.Source} {
		if i := strings.Index(text, "HIDE"); i >= 0 {
			t.Errorf("a secret was recorded: …%.30s", text[max(0, i-20):])
		}
	}
	for _, want := range []string{
		"GET /v1/models?x=1&key=[redacted]&API%5FKEY=[redacted]&mine=[redacted]&flag&monkey=banana HTTP/1.1\r\nHost: 127.0.0.1:",
		"\r\nAuthorization: [redacted]\r\n", "\r\nX-Other: shown\r\n", "\r\nReferer: https://a.example/?token=[redacted]&q=1\r\n",
		"HTTP/1.1 200 OK\r\n", "\r\nX-Plain: shown\r\n", "\r\nLocation: /next?a=1&access_token=[redacted]#id_token=[redacted]&b=2\r\n",
		"\r\nSet-Cookie: sid=[redacted]\r\nSet-Cookie: b=[redacted]\r\n",
	} {
		if !strings.Contains(heads, want) {
			t.Errorf("%q is not in the heads:\n%s", want, heads)
		}
	}
	if want := "GET " + s.upstream.URL + "/v1/models?x=1&key=[redacted]&"; !strings.HasPrefix(r.state.Source, want) {
		t.Errorf("source %q", r.state.Source)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("/a?key=HIDE&b=c#token=HIDE")
	f.Add("?%6bey=HIDE&&=&key")
	f.Add("/a;%6bey=HIDE/b")
	f.Add("http://user:HIDE@h/a")
	f.Fuzz(func(t *testing.T, target string) {
		x := redact.NewByName(nil, nil, false)
		once := x.URL(target)
		if again := x.URL(once); again != once {
			t.Errorf("%q became %q, and that %q", target, once, again)
		}
		path := target // up to its parameters, or to what may be a user
		if i := strings.IndexAny(target, "?#;"); i >= 0 {
			path = target[:i]
		}
		path, _, _ = strings.Cut(path, "://")
		if !strings.HasPrefix(once, path) {
			t.Errorf("%q became %q", target, once)
		}
	})
}
