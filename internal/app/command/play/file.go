package play

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
	"tapedeck/replay"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/tapefile"
)

// serveFile serves a file's sessions within this process in the same way as a server, so that a
// file is played as a server would play it.
func serveFile(f *erringFile) (c *apiclient.Client, shut func()) {
	play := replayhttp.New(replayhttp.Options{Library: f, Logger: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sessions/{id}/replay", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "1")
		play.Replay(w, r, ingest.DefaultTenant, r.PathValue("id"))
	})
	pipes := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: mux}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(pipes) }) // ends on Close only
	transport := &http.Transport{DialContext: pipes.dial, DisableCompression: true}
	c = &apiclient.Client{Base: &url.URL{Scheme: "http", Host: "127.0.0.1"}, HTTP: &http.Client{Transport: transport}}
	return c, func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		serving.Wait()
	}
}

// erringFile records the first error of reading a file.
type erringFile struct {
	*tapefile.File
	mu  sync.Mutex // guards err
	err error      // the first error
}

// Tape implements replay.Library.
func (f *erringFile) Tape(ctx context.Context, tenant, id string) (replay.Tape, error) {
	t, err := f.File.Tape(ctx, tenant, id)
	if err != nil {
		f.keep(ctx, err)
		return nil, err
	}
	return &erringTape{t, f}, nil
}

func (f *erringFile) keep(ctx context.Context, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && err != io.EOF && ctx.Err() == nil {
		f.err = err
	}
}

type erringTape struct {
	replay.Tape
	file *erringFile
}

// Read implements replay.Tape.
func (t *erringTape) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	r, err := t.Tape.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return &erringReader{r, t.file}, nil
}

// Facts implements replay.Tape.
func (t *erringTape) Facts(ctx context.Context, q replay.FactQuery) (replay.Facts, error) {
	f, err := t.Tape.Facts(ctx, q)
	if err != nil {
		t.file.keep(ctx, err)
	}
	return f, err
}

type erringReader struct {
	replay.Reader
	file *erringFile
}

// Next implements replay.Reader.
func (r *erringReader) Next(ctx context.Context) ([]replay.Frame, error) {
	frames, err := r.Reader.Next(ctx)
	if err != nil {
		r.file.keep(ctx, err)
	}
	return frames, err
}
