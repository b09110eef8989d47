package httplog

import (
	"bufio"
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/internal/bounded"
	"tapedeck/internal/syncbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the transport of net/http reports becomes an event without the bytes of the connection.
func TestCapture(t *testing.T) {
	flags, out := stdlog.Flags(), stdlog.Writer()
	defer func() { stdlog.SetFlags(flags); stdlog.SetOutput(out) }()
	var logged syncbuffer.Output
	Capture(slog.New(slog.NewJSONHandler(&logged, nil)))

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	idle, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		<-idle
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Key: \"hide\"\r\n\r\n")
	}()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	close(idle)
	bounded.Receive(t, done)
	bounded.Until(t, "the answer that nobody asked for is logged", func() bool { return logged.String() != "" })
	if got := logged.String(); !strings.HasPrefix(got, "{") || !strings.Contains(got, `"level":"WARN"`) ||
		!strings.Contains(got, "Unsolicited response") || strings.Contains(got, "hide") || strings.Contains(got, "200 OK") {
		t.Errorf("the log has %s", got)
	}
}

// An error log leaves out quoted bytes too.
func TestNew(t *testing.T) {
	var logged syncbuffer.Output
	New(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))).
		Printf("http: proxy error: malformed HTTP response %q", "hide \"it\"")
	if got := logged.String(); strings.Contains(got, "hide") || !strings.Contains(got, "malformed HTTP response (left out)") {
		t.Errorf("the log has %s", got)
	}
}
