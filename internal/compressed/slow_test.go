package compressed_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/compressed"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/slow"
)

// noise is a text of n bytes that gets only half as small.
func noise(n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = "0123456789abcdef"[rand.IntN(16)]
	}
	return text
}

// stuck sends a request that accepts a coding to a handler, and takes nothing of the answer. It
// returns when all of the request has ended on the server.
func stuck(t *testing.T, coding string, timeout time.Duration, h http.HandlerFunc) {
	t.Helper()
	ended := make(chan struct{}, 1)
	answers := compressed.Handler(h, func(*http.Request) bool { return true }, slow.NewTimeout(timeout))
	server := httptest.NewUnstartedServer(answers)
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		must(t, c.(*net.TCPConn).SetWriteBuffer(4096))
		return ctx
	}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateIdle || state == http.StateClosed {
			select {
			case ended <- struct{}{}:
			default:
			}
		}
	}
	server.Start()
	defer server.Close()
	dialer := net.Dialer{}
	conn, err := dialer.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	must(t, err)
	defer conn.Close()
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: "+coding+"\r\n\r\n")
	must(t, err)
	bounded.Receive(t, ended)
}

// codingNames are the names of all codings, and that of none.
var codingNames = []string{"zstd", "gzip", "br", "identity"}

// TestStreamToStuckClient has handlers that bound each write and flush, by deadlines that stay or by
// slow.Writer, and events that are smaller than the server's buffers: the bound holds for what a flush
// sends.
func TestStreamToStuckClient(t *testing.T) {
	const timeout = 100 * time.Millisecond
	for name, sender := range map[string]func(w http.ResponseWriter) (send func(event []byte) error){
		"deadlines": func(w http.ResponseWriter) func([]byte) error {
			control := http.NewResponseController(w)
			return func(event []byte) error {
				if err := control.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
					return err
				}
				if _, err := w.Write(event); err != nil {
					return err
				}
				return control.Flush()
			}
		},
		"slow.Writer": func(w http.ResponseWriter) func([]byte) error {
			out := slow.NewWriter(w, slow.NewTimeout(timeout))
			return func(event []byte) error {
				if _, err := out.Write(event); err != nil {
					return err
				}
				return out.Close()
			}
		},
	} {
		for _, coding := range codingNames {
			t.Run(name+"/"+coding, func(t *testing.T) {
				var failed error
				stuck(t, coding, time.Hour, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					for send := sender(w); failed == nil; {
						failed = send(fmt.Appendf(nil, "data: %s\n\n", noise(600)))
					}
				})
				if !errors.Is(failed, os.ErrDeadlineExceeded) {
					t.Errorf("the answer ended with %v", failed)
				}
			})
		}
	}
}

// TestWithoutDeadlines has handlers that set no deadlines. Each answer ends after the timeout, and the
// client is counted once.
func TestWithoutDeadlines(t *testing.T) {
	slowClients := func() float64 { return metrictest.Process(t)["tapedeck_slow_clients_total"] }
	for name, write := range map[string]func(w http.ResponseWriter){
		"at once": func(w http.ResponseWriter) { _, _ = w.Write(noise(2 << 20)) },
		"flushed": func(w http.ResponseWriter) {
			for range 10_000 {
				if _, err := w.Write(noise(600)); err != nil {
					return
				}
				if http.NewResponseController(w).Flush() != nil {
					return
				}
			}
		},
	} {
		for _, coding := range codingNames {
			t.Run(strings.ReplaceAll(name, " ", "-")+"/"+coding, func(t *testing.T) {
				before := slowClients()
				stuck(t, coding, 100*time.Millisecond, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					write(w)
				})
				if n := slowClients() - before; n != 1 {
					t.Errorf("%v clients are counted", n)
				}
			})
		}
	}
}

// deadlines records the deadline under which each write of an answer is made.
type deadlines struct {
	*httptest.ResponseRecorder
	now    time.Time
	writes []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.now = t
	return nil
}

func (d *deadlines) Write(p []byte) (int, error) {
	d.writes = append(d.writes, d.now)
	return d.ResponseRecorder.Write(p)
}

// TestEnd has an answer that is still in the encoder when its handler returns, which has removed its
// deadlines. It is sent within the timeout of Handler, as is what net/http has buffered.
func TestEnd(t *testing.T) {
	for _, size := range []int{10, 48 << 10} {
		for _, coding := range codingNames {
			d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", coding)
			compressed.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				_, err := slow.NewWriter(w, slow.NewTimeout(time.Hour)).Write(noise(size))
				must(t, err)
			}), func(*http.Request) bool { return true }, slow.NewTimeout(5*time.Minute)).ServeHTTP(d, r)
			if len(d.writes) == 0 || d.Header().Get("Content-Encoding") == "" && size > 1024 && coding != "identity" {
				t.Fatalf("%s: %d writes of %v", coding, len(d.writes), d.Header())
			}
			for _, at := range append(d.writes, d.now) {
				if at.IsZero() {
					t.Errorf("%s: a write of %d bytes has no deadline", coding, size)
				}
			}
			if left := time.Until(d.now); left > 5*time.Minute || left < 2*time.Minute {
				t.Errorf("%s: the end of %d bytes is bounded by %v", coding, size, left)
			}
		}
	}
}
