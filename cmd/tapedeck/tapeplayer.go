package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/replay"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/tapefile"
)

// playHere serves a file's sessions as a server does, to this process alone: what
// is played from a file is what the server would play.
func playHere(f *notedFile) (c *apiclient.Client, shut func()) {
	play := replayhttp.New(replayhttp.Options{Library: f, Logger: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sessions/{id}/replay", func(w http.ResponseWriter, r *http.Request) {
		play.Replay(w, r, ingest.DefaultTenant, r.PathValue("id"))
	})
	pipes := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: mux}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(pipes) }) // ends by Close alone
	transport := &http.Transport{DialContext: pipes.dial, DisableCompression: true}
	c = &apiclient.Client{Base: &url.URL{Scheme: "http", Host: "127.0.0.1"}, HTTP: &http.Client{Transport: transport}}
	return c, func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		serving.Wait()
	}
}

// notedFile notes why reading a file failed, for who plays it.
type notedFile struct {
	*tapefile.File
	mu  sync.Mutex // guards err
	err error      // the first
}

// Tape implements replay.Library.
func (f *notedFile) Tape(ctx context.Context, tenant, id string) (replay.Tape, error) {
	t, err := f.File.Tape(ctx, tenant, id)
	if err != nil {
		f.note(ctx, err)
		return nil, err
	}
	return &notedTape{t, f}, nil
}

func (f *notedFile) note(ctx context.Context, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && err != io.EOF && ctx.Err() == nil {
		f.err = err
	}
}

type notedTape struct {
	replay.Tape
	file *notedFile
}

// Read implements replay.Tape.
func (t *notedTape) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	r, err := t.Tape.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return &notedReader{r, t.file}, nil
}

type notedReader struct {
	replay.Reader
	file *notedFile
}

// Next implements replay.Reader.
func (r *notedReader) Next(ctx context.Context) ([]replay.Frame, error) {
	frames, err := r.Reader.Next(ctx)
	if err != nil {
		r.file.note(ctx, err)
	}
	return frames, err
}

// pipeListener accepts connections of this process.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- &pipeConn{server}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// pipeConn is the server's end. That the other end has what it wanted and is gone
// is no failure of what comes after.
type pipeConn struct{ net.Conn }

// SetWriteDeadline implements net.Conn.
func (c *pipeConn) SetWriteDeadline(t time.Time) error {
	if err := c.Conn.SetWriteDeadline(t); err != io.ErrClosedPipe {
		return err
	}
	return nil
}
