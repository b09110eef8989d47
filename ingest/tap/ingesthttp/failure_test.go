package ingesthttp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
)

const ndjson = "application/x-ndjson"

// TestSlowBody: the server's timeouts do not cut it.
func TestSlowBody(t *testing.T) {
	s := serve(t, ingest.Settings{}, ingesthttp.Options{})
	from, to := io.Pipe()
	go func() {
		for range 4 {
			time.Sleep(100 * time.Millisecond) // the client is slow: the server's timeouts are what is tested
			_, _ = to.Write([]byte("{}\n"))
		}
		_ = to.Close()
	}()
	var answer ingesthttp.Answer
	s.read(t, s.post(t, "", ndjson, "", from), http.StatusOK, &answer)
	if answer.Frames != 4 {
		t.Errorf("%d frames, want 4", answer.Frames)
	}
}

// endless returns lines until it is closed, the first n of them at once and the
// others after go is closed.
func endless(n int, go_ <-chan struct{}) *io.PipeReader {
	from, to := io.Pipe()
	go func() {
		for i := 0; ; i++ {
			if i == n {
				<-go_
			}
			if i > n {
				time.Sleep(time.Millisecond) // a line in a millisecond, so that the test does not fill memory
			}
			if _, err := to.Write([]byte("{}\n")); err != nil {
				return
			}
		}
	}()
	return from
}

// TestNotTaken: a client whose frames cannot be made durable learns of it while
// it is still sending, and how much of its body is durable.
func TestNotTaken(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_http_not_taken_total")
	for name, fault := range map[string]func(*ingesttest.Memory){
		"refused":     func(m *ingesttest.Memory) { m.Refuse(errors.New("the spool is full")) },
		"abandoned":   func(m *ingesttest.Memory) { m.Abandon(errors.New("the spool is full")) },
		"pushed back": func(m *ingesttest.Memory) { m.Stall() },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, ingest.Settings{BlockFrames: 10, BlockAge: time.Hour}, ingesthttp.Options{Timeout: 200 * time.Millisecond})
			on := make(chan struct{})
			from := endless(10, on)
			defer from.Close()
			go func() {
				s.waitFor(t, "the first block", func() bool { return s.frames() == 10 })
				s.mem.Wait()
				fault(s.mem)
				close(on)
			}()
			resp := s.post(t, "?session=s&dialect=generic", ndjson, "", from)
			var failure ingesthttp.Failure
			s.read(t, resp, http.StatusServiceUnavailable, &failure)
			s.mem.Resume()
			if resp.Header.Get("Retry-After") != "5" || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("headers %v", resp.Header)
			}
			if failure.DurableFrames != 10 || failure.DurableBytes != 30 || failure.Rejected[0].Line != 11 || failure.Detail == "" {
				t.Errorf("failure %+v, want 10 frames in 30 bytes durable", failure)
			}
			if name != "pushed back" && !strings.Contains(failure.Detail, "the spool is full") {
				t.Errorf("detail %q does not say why", failure.Detail)
			}
		})
	}
}

// TestPushBack: while the publisher waits nothing is read, and after that all is.
func TestPushBack(t *testing.T) {
	s := serve(t, ingest.Settings{BlockFrames: 10, BlockAge: time.Hour}, ingesthttp.Options{})
	s.mem.Stall()
	line := strings.Repeat("x", 1023) + "\n"
	sent := make(chan int, 1<<20)
	from, to := io.Pipe()
	go func() {
		for i := range 50_000 {
			_, _ = to.Write([]byte(line))
			sent <- i
		}
		_ = to.Close()
	}()
	go func() {
		before := -1
		s.waitFor(t, "the client to be held up", func() bool {
			now := len(sent)
			held := now > 0 && now == before
			before = now
			time.Sleep(100 * time.Millisecond) // held up is: nothing was sent for so long
			return held
		})
		if n := len(sent); n == 50_000 {
			t.Error("all was read although nothing was taken")
		}
		s.mem.Resume()
	}()
	var answer ingesthttp.Answer
	s.read(t, s.post(t, "?session=s&dialect=generic", ndjson, "", from), http.StatusOK, &answer)
	if answer.Frames != 50_000 {
		t.Errorf("%d frames", answer.Frames)
	}
}

func TestBrokenBodies(t *testing.T) {
	whole := gzipped(strings.Repeat("{\"a\":1}\n", 1000))
	for name, tc := range map[string]struct{ encoding, body, detail string }{
		"gzip cut off": {"gzip", whole[:len(whole)-10], "unexpected EOF"},
		"gzip damaged": {"gzip", whole[:len(whole)-8] + "damaged!", "decode gzip"},
		"no gzip":      {"gzip", "{\"a\":1}\n{\"a\":1}\n", "decode gzip"},
		"no zstd":      {"zstd", "{\"a\":1}\n{\"a\":1}\n", "decode zstd"},
		"more after":   {"zstd", zstded("{}\n") + "more", "decode zstd"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, ingest.Settings{}, ingesthttp.Options{})
			var failure ingesthttp.Failure
			s.read(t, s.post(t, "?session=s", ndjson, tc.encoding, strings.NewReader(tc.body)), http.StatusBadRequest, &failure)
			if !strings.Contains(failure.Detail, tc.detail) {
				t.Errorf("detail %q lacks %q", failure.Detail, tc.detail)
			}
			for _, part := range []string{"not valid " + tc.encoding, "durable_bytes of the decoded body"} {
				if !strings.Contains(failure.Hint, part) {
					t.Errorf("the hint does not say %q: %s", part, failure.Hint)
				}
			}
			if got := uint64(s.frames()); got != failure.DurableFrames {
				t.Errorf("%d frames kept, %d said to be durable", got, failure.DurableFrames)
			}
			if strings.HasPrefix(name, "gzip") && failure.DurableFrames < 500 {
				t.Errorf("%d frames kept of what could be decoded", failure.DurableFrames)
			}
		})
	}
}

// TestClientGone: what a client sent before it went away is kept.
func TestClientGone(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := serve(t, ingest.Settings{}, ingesthttp.Options{})
		if http2 {
			s.useHTTP2(t)
		}
		from, to := io.Pipe()
		go func() {
			_, _ = to.Write([]byte("{}\n{\"a\":"))
			s.waitFor(t, "the first frame", func() bool { return s.frames() > 0 })
			_ = to.CloseWithError(errors.New("the client fails"))
		}()
		if resp, err := s.client.Do(s.request(t, "?session=s&dialect=generic", ndjson, "", from)); err == nil {
			resp.Body.Close()
			t.Fatalf("answered %s", resp.Status)
		}
		var state schema.StreamState
		s.waitFor(t, "the end", func() bool {
			ids := s.mem.Streams()
			state, _ = s.mem.State(ids[0], "s")
			return state.Ended != 0
		})
		if !strings.HasPrefix(state.EndReason, "error: the body broke off: ") {
			t.Errorf("HTTP/2 %v: ended with %q", http2, state.EndReason)
		}
		if raw := string(s.mem.Raw(state.StreamID, schema.Receive)); raw != "{}\n{\"a\":" {
			t.Errorf("HTTP/2 %v: kept %q", http2, raw)
		}
	}
}

// useHTTP2 replaces the server by one that speaks HTTP/2.
func (s *server) useHTTP2(t *testing.T) {
	t.Helper()
	s.client.CloseIdleConnections()
	handler, base := s.http.Config.Handler, s.http.Config.BaseContext
	s.http.Close()
	s.http = httptest.NewUnstartedServer(handler)
	s.http.Config.BaseContext = base
	s.http.EnableHTTP2 = true
	s.http.StartTLS()
	s.client = s.http.Client()
}

func TestShutdown(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := serve(t, ingest.Settings{}, ingesthttp.Options{})
		if http2 {
			s.useHTTP2(t)
		}
		from, to := io.Pipe()
		defer to.Close()
		go func() {
			_, _ = to.Write([]byte("{}\n{}\n"))
			s.waitFor(t, "the frames", func() bool { return s.frames() == 2 })
			s.shutdown()
		}()
		var failure ingesthttp.Failure
		s.read(t, s.post(t, "?session=s&dialect=generic", ndjson, "", from), http.StatusServiceUnavailable, &failure)
		if failure.DurableFrames != 2 || !strings.Contains(failure.Detail, "shutting down") {
			t.Errorf("HTTP/2 %v: %+v", http2, failure)
		}
	}
}

func TestSilence(t *testing.T) {
	s := serve(t, ingest.Settings{}, ingesthttp.Options{Silence: 100 * time.Millisecond})
	from, to := io.Pipe()
	defer to.Close()
	go func() { _, _ = to.Write([]byte("{}\n")) }()
	var failure ingesthttp.Failure
	s.read(t, s.post(t, "?session=s", ndjson, "", from), http.StatusRequestTimeout, &failure)
	if failure.DurableFrames != 1 || !strings.Contains(failure.Detail, "100ms") {
		t.Errorf("%+v", failure)
	}
}
