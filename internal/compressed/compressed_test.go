package compressed_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/compressed"
	"tapedeck/internal/contentcoding"
)

// served starts a server whose answers are compressed, and returns its URL.
func served(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(compressed.Handler(h, func(r *http.Request) bool { return r.URL.Path != "/recorded" }, nil))
	t.Cleanup(server.Close)
	return server.URL
}

// asked sends a request that accepts codings, and returns the answer as it came.
func asked(t *testing.T, method, url, accept string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	must(t, err)
	r.Header.Set("Accept-Encoding", accept)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T comparable](t *testing.T, got, want T, about string) {
	t.Helper()
	if got != want {
		t.Errorf("%.80s: %v, not %v", about, got, want)
	}
}

// decoded returns the bytes of a body in a coding.
func decoded(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	if coding == "" {
		return body
	}
	d := contentcoding.New(coding)
	defer d.Stop()
	var out []byte
	keep := func(p []byte) error { out = append(out, p...); return nil }
	must(t, d.Decode(body, keep))
	must(t, d.End(keep))
	return out
}

// TestAccepted has the coding for what clients send; the rules are those of RFC 9110, 12.5.3.
func TestAccepted(t *testing.T) {
	text := strings.Repeat(`{"session":"a","tokens":12},`, 200)
	url := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	})
	for accept, coding := range map[string]string{
		"":                                "",
		"identity":                        "",
		"gzip":                            "gzip",
		"br":                              "br",
		"zstd":                            "zstd",
		"gzip, deflate, br, zstd":         "zstd", // a browser
		"gzip, deflate, br":               "gzip",
		"GZIP ; Q=0.5, br;q=0.8":          "br",
		"gzip;q=0, br;q=0, zstd;q=0":      "",
		"gzip;q=0, *":                     "zstd",
		"*":                               "zstd",
		"*;q=0":                           "",
		"identity;q=1, gzip;q=0.5":        "",
		"identity;q=0.5, gzip;q=1":        "gzip",
		"gzip;q=many":                     "",
		"compress, deflate":               "",
		strings.Repeat("x,", 1000) + "br": "br",
	} {
		answer := asked(t, http.MethodGet, url, accept)
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		same(t, answer.Header.Get("Content-Encoding"), coding, accept)
		same(t, answer.Header.Get("Vary"), "Accept-Encoding", accept)
		same(t, string(decoded(t, coding, body)), text, accept)
		if coding != "" {
			if len(body) > len(text)/4 {
				t.Errorf("%s: %d bytes of %d", accept, len(body), len(text))
			}
		}
	}
}

// TestStreamed has a server that writes an event only when the client has decoded the one before.
func TestStreamed(t *testing.T) {
	for _, coding := range []string{"gzip", "br", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			next := make(chan struct{})
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				control := http.NewResponseController(w)
				_ = control.Flush()
				for i := range 50 {
					select {
					case <-next:
					case <-r.Context().Done():
						return
					}
					_, _ = fmt.Fprintf(w, "data: event %d\n\n", i)
					_ = control.Flush()
				}
			})
			answer := asked(t, http.MethodGet, url, coding) // the head comes before the first event
			same(t, answer.Header.Get("Content-Encoding"), coding, "the answer")
			d := contentcoding.New(coding)
			defer d.Stop()
			buf := make([]byte, 64<<10)
			for i := range 50 {
				next <- struct{}{}
				want, got := fmt.Sprintf("data: event %d\n\n", i), []byte(nil)
				for len(got) < len(want) {
					n, err := answer.Body.Read(buf)
					if err != nil && (n == 0 || err != io.EOF) { // the end may come with the last event
						t.Fatal(err)
					}
					must(t, d.Decode(buf[:n], func(p []byte) error { got = append(got, p...); return nil }))
				}
				same(t, string(got), want, "the answer")
			}
			rest, err := io.ReadAll(answer.Body)
			must(t, err)
			more := func(p []byte) error { return fmt.Errorf("more than was written: %q", p) }
			must(t, d.Decode(rest, more))
			must(t, d.End(more))
		})
	}
}

// TestUnchanged has answers that are not compressed.
func TestUnchanged(t *testing.T) {
	text := bytes.Repeat([]byte("a text that would get smaller "), 100)
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/recorded":
			w.Header().Set("Content-Type", "application/json")
		case "/small":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{}"))
			return
		case "/tape":
			w.Header().Set("Content-Type", "application/vnd.tapedeck.tape")
		case "/encoded":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
		case "/part":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Range", "bytes 0-99/200")
			w.WriteHeader(http.StatusPartialContent)
		case "/none":
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write(text)
	})
	for path, coding := range map[string]string{
		"/recorded": "", "/small": "", "/tape": "", "/encoded": "gzip", "/part": "", "/none": "", "/untyped": "",
	} {
		answer := asked(t, http.MethodGet, url+path, "gzip, zstd, br")
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		same(t, answer.Header.Get("Content-Encoding"), coding, path)
		switch path {
		case "/small":
			same(t, string(body), "{}", "the answer")
			same(t, answer.Header.Get("Content-Length"), "2", "the answer")
		case "/none":
			same(t, answer.StatusCode, http.StatusNoContent, "the answer")
			same(t, string(body), "", path)
		default:
			same(t, string(body), string(text), path)
		}
	}
	answer := asked(t, http.MethodHead, url+"/recorded", "gzip")
	same(t, answer.Header.Get("Content-Encoding"), "", "the answer to HEAD")
}

// TestCut has an answer that its handler breaks off: the client must not take it for complete.
func TestCut(t *testing.T) {
	url := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write(bytes.Repeat([]byte("{}\n"), 1000))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for _, coding := range []string{"gzip", "br", "zstd"} {
		answer := asked(t, http.MethodGet, url, coding)
		_, err := io.ReadAll(answer.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: the error is %v", coding, err)
		}
	}
}

// TestTakenOver has a connection that the handler takes over, as WebSockets do.
func TestTakenOver(t *testing.T) {
	url := served(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw")
		_ = rw.Flush()
		_ = conn.Close()
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: Upgrade\r\n\r\n")
	must(t, err)
	got, err := io.ReadAll(conn)
	must(t, err)
	if !bytes.HasSuffix(got, []byte("\r\n\r\nraw")) {
		t.Errorf("the connection had %q", got)
	}
}

// TestSideBySide has many answers at a time, which share encoders one after another.
func TestSideBySide(t *testing.T) {
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, strings.Repeat(r.URL.Path, 500))
	})
	failed := make(chan error, 60)
	for i := range 60 {
		go func() {
			coding := []string{"gzip", "br", "zstd"}[i%3]
			r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/answer/%d", url, i), nil)
			if err != nil {
				failed <- err
				return
			}
			r.Header.Set("Accept-Encoding", coding)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				failed <- err
				return
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			d := contentcoding.New(coding)
			defer d.Stop()
			var got []byte
			keep := func(p []byte) error { got = append(got, p...); return nil }
			err = errors.Join(err, d.Decode(body, keep), d.End(keep))
			if err == nil && string(got) != strings.Repeat(r.URL.Path, 500) {
				err = fmt.Errorf("answer %d is of another request", i)
			}
			failed <- err
		}()
	}
	for range 60 {
		must(t, <-failed)
	}
}

// BenchmarkAnswer compresses a JSON answer of 100 kB.
func BenchmarkAnswer(b *testing.B) {
	var text []byte
	for i := range 900 {
		text = fmt.Appendf(text, `{"session_id":"s-%d","model":"claude-opus-4-6","input":%d,"output":%d,"cost":"0.%d"}`, i, i*7919%1000, i*104729%5000, i*31)
	}
	for _, coding := range []string{"", "zstd", "gzip", "br"} {
		b.Run("coding="+coding, func(b *testing.B) {
			h := compressed.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(text)
			}), func(*http.Request) bool { return true }, nil)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", coding)
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				size = w.Body.Len()
			}
			b.ReportMetric(float64(len(text))/float64(size), "times-smaller")
		})
	}
}
