// Package emulatetest has helpers for the tests of emulated servers: over real sockets, and over a
// network in memory on which a bubble of testing/synctest can wait.
package emulatetest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Stage returns a stage whose library is a tape. It discards log lines.
func Stage(tape *replaytest.Tape, change ...func(*emulate.Options)) *emulate.Stage {
	opts := emulate.Options{Library: tape, Logger: slog.New(slog.DiscardHandler), Alarm: player.TimerAlarm}
	for _, c := range change {
		c(&opts)
	}
	return emulate.NewStage(opts)
}

// Serve serves on a loopback socket and returns the base URL.
func Serve(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// Base is the address of a server in memory.
const Base = "http://memory"

// ServePipe serves in memory, within a bubble, and returns a client for Base.
func ServePipe(t *testing.T, h http.Handler) *http.Client {
	t.Helper()
	p := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: h}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(p) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		p.dialled <- server
		return client, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
		<-done //nolint:errcheck // the server was closed
	})
	return &http.Client{Transport: transport}
}

// Reads reads a body and returns "<ms> <bytes>" for each read. A read of a chunked body never spans
// two chunks that were flushed at different times. err is the error that ended the body, nil for a
// normal end.
func Reads(res *http.Response, start time.Time) (list []string, err error) {
	buf := make([]byte, 1<<16)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", time.Since(start).Milliseconds(), buf[:n]))
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
}

// Asked adds an exchange as a proxy records it, up to the end of the request, which arrives at an
// offset.
func Asked(tape *replaytest.Tape, offset time.Duration, line string, fields []string, body string) *replaytest.Stream {
	s := tape.Stream(schema.HTTP, "generic")
	send := func(f *schema.Frame) { f.Direction = schema.Send }
	s.Add(offset, line+" HTTP/1.1\r\nHost: recorded.example\r\n"+lines(fields)+"\r\n", send, note)
	if body != "" {
		s.Add(offset, body, send)
	}
	return s
}

// Head adds the head of an answer.
func Head(s *replaytest.Stream, offset time.Duration, status string, fields ...string) *replaytest.Stream {
	return s.Add(offset, "HTTP/1.1 "+status+"\r\n"+lines(fields)+"\r\n", note)
}

func note(f *schema.Frame) { f.Flags |= schema.FlagNote; f.Transport = schema.HTTP }

// Over sets the transport of a frame.
func Over(t schema.Transport) func(*schema.Frame) { return func(f *schema.Frame) { f.Transport = t } }

// Typed sets the envelope that a dialect reads from a frame.
func Typed(kind, run string) func(*schema.Frame) {
	return func(f *schema.Frame) { f.Type, f.Run = kind, run }
}

// Sent marks a frame as sent by the client.
func Sent(f *schema.Frame) { f.Direction = schema.Send }

func lines(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return strings.Join(fields, "\r\n") + "\r\n"
}
