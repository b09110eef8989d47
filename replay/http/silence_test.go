package replayhttp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/bounded"
	"tapedeck/internal/compressed"
	"tapedeck/internal/slow"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// A recording that is silent for longer than a client may take for a write is played to its end, by
// HTTP/1.1 and by HTTP/2, in which a deadline ends an answer even if nothing is to be written.
func TestSilenceBeyondWriteTimeout(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.SSE, "loom").Add(0, "data: {}\n\n").Add(1500*time.Millisecond, "data: {}\n\n")
	opts := replayhttp.Options{Library: tape, WriteTimeout: slow.NewTimeout(500 * time.Millisecond), Logger: slog.New(slog.DiscardHandler)}
	for _, http2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(compressed.Handler(handler(replayhttp.New(opts)), func(*http.Request) bool { return true }, opts.WriteTimeout))
		srv.EnableHTTP2 = http2
		srv.StartTLS()
		t.Cleanup(srv.Close)
		for _, over := range []schema.Transport{schema.SSE, schema.NDJSON} {
			for _, query := range []string{"mode=event", "mode=raw"} {
				for _, coding := range []string{"identity", "gzip"} {
					t.Run(fmt.Sprintf("http2=%t/%s/%s/%s", http2, over, query, coding), func(t *testing.T) {
						t.Parallel()
						p := play(t, srv.Client(), srv.URL, over, query, "Accept-Encoding", coding)
						if p.bodyErr != nil || p.status != http.StatusOK {
							t.Errorf("status %d, %v after %q", p.status, p.bodyErr, p.body)
						}
					})
				}
			}
		}
	}
}

// A client that takes nothing of a compressed playback is disconnected after the time for a write.
func TestStuckClientOfCompressed(t *testing.T) {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "loom")
	for i := range 3000 {
		s.Add(time.Duration(i)*time.Millisecond, `"`+strings.Map(func(rune) rune { return 'a' + rand.Int32N(26) }, strings.Repeat("x", 600))+"\"\n")
	}
	registry := prometheus.NewRegistry()
	opts := replayhttp.Options{Library: tape, WriteTimeout: slow.NewTimeout(200 * time.Millisecond), LagLimit: slow.NewTimeout(time.Hour),
		Logger: slog.New(slog.DiscardHandler), Registerer: registry}
	srv := httptest.NewUnstartedServer(compressed.Handler(handler(replayhttp.New(opts)), func(*http.Request) bool { return true }, opts.WriteTimeout))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4096)
		return ctx
	}
	srv.Start()
	defer srv.Close()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(conn, "GET "+address("", "")+" HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the playback of the stuck client ends", func() bool {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if f.GetName() == "tapedeck_replay_playbacks_total" && m.GetLabel()[0].GetValue() == "stuck" {
					return m.GetCounter().GetValue() == 1
				}
			}
		}
		return false
	})
}
