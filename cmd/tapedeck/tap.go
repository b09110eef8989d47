package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/ingest/tap/file"
	"tapedeck/ingest/tap/process"
	"tapedeck/ingest/tap/ssetap"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/schema"
)

// tapped is the result of recording one source.
type tapped struct {
	ingest.Summary
	exit   int    // exit code of a command that was run
	signal string // name of the signal that ended the command, "" for none
	stdout lastByte
}

// tap records the source that the command names. agents has the file if it is a transcript.
func (c *recordCommand) tap(ctx context.Context, g *global, agents *transcripts, rec *ingest.Recorder, so ingest.StreamOptions) (t tapped, err error) {
	header, err := parseHeaders(c.Header)
	if err != nil {
		return t, err
	}
	trust, err := g.config()
	if err != nil {
		return t, err
	}
	switch {
	case len(c.command) > 0:
		// The command receives the signals, and the recording ends with it.
		var r process.Result
		r, err = process.Record(context.WithoutCancel(ctx), rec, so,
			process.Options{Command: c.command, Stdout: &t.stdout, FrameLimit: c.FrameLimit, Log: stderrLog(), Terminal: c.PTY, TwoWay: c.Stdio})
		t.Summary, t.exit, t.signal = r.Summary, r.ExitCode, r.Signal
	case c.Follow != "":
		t.Summary, err = c.follow(ctx, rec, so)
	case c.SSE != "":
		t.Summary, err = c.tapURL(ctx, rec, so, header, trust)
	case c.WS != "":
		t.Summary, err = c.tapWebSocket(ctx, rec, so, header, trust)
	case c.Sources[0] == "-":
		t.Summary, err = c.tapStdin(ctx, rec, so)
	default:
		t.Summary, err = c.recordPath(ctx, agents, "", c.Sources[0], c.index(g).LookUp(ctx, c.Sources[0]), rec, so)
	}
	return t, err
}

// lastByte writes to standard output and keeps the last byte.
type lastByte struct{ last byte }

// Write implements io.Writer.
func (w *lastByte) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	if n > 0 {
		w.last = p[n-1]
	}
	return n, err
}

// endLine ends the line that was written, if it has no end.
func (w *lastByte) endLine() error {
	if w.last == 0 || w.last == '\n' {
		return nil
	}
	_, err := w.Write([]byte{'\n'})
	return err
}

// tapFile records a file. known is file.Options.Known; label precedes the progress.
func (c *recordCommand) tapFile(ctx context.Context, label, path string, known func(digest string) error,
	rec *ingest.Recorder, so ingest.StreamOptions) (ingest.Summary, error) {
	var done, total atomic.Int64
	began := time.Now()
	p := console.ShowProgress(func() string {
		n, all := done.Load(), total.Load()
		rate := console.DecimalBytes(uint64(float64(n)/time.Since(began).Seconds())) + "/s"
		if all == 0 {
			return fmt.Sprintf("%s%s recorded, %s", label, console.DecimalBytes(uint64(n)), rate)
		}
		return fmt.Sprintf("%s%s of %s recorded, %s  %s", label, console.DecimalBytes(uint64(n)),
			console.DecimalBytes(uint64(all)), rate, console.Part(n, all, began))
	})
	defer p.End()
	return file.Record(ctx, rec, so, file.Options{
		Path: path, FrameLimit: c.FrameLimit,
		Progress: func(n, all int64) { done.Store(n); total.Store(all) },
		Known:    known, FrameClock: c.Clock == "auto",
	})
}

func (c *recordCommand) tapStdin(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions) (ingest.Summary, error) {
	if console.IsTerminal(os.Stdin) {
		fmt.Fprintln(os.Stderr, "recording what you type; end with Ctrl-D")
	}
	so.Source = "standard input"
	return copier.Record(ctx, rec, so, copier.NewReader(copier.Interruptible(ctx, os.Stdin)), c.FrameLimit)
}

func (c *recordCommand) tapURL(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, h http.Header, trust *tls.Config) (ingest.Summary, error) {
	body := c.Body
	if path, ok := strings.CutPrefix(body, "@"); ok {
		data, err := os.ReadFile(path)
		if err != nil {
			return ingest.Summary{}, fmt.Errorf("--body: %w", err)
		}
		body = string(data)
	}
	r, err := ssetap.Record(ctx, rec, so, ssetap.Options{
		URL: c.SSE, Method: c.Method, Header: h, Body: []byte(body), Once: c.Once, FrameLimit: c.FrameLimit, TLS: trust, Log: stderrLog(),
	})
	return r.Summary, err
}

func (c *recordCommand) tapWebSocket(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions,
	h http.Header, trust *tls.Config) (ingest.Summary, error) {
	var send []websocket.Payload
	for _, text := range c.Send {
		send = append(send, websocket.Payload{Data: []byte(text)})
	}
	opts := websocket.Options{
		URL: c.WS, Header: h, Send: send, FrameLimit: c.FrameLimit, Until: c.until(), Log: stderrLog(),
	}
	if trust != nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = trust
		defer transport.CloseIdleConnections()
		opts.Client = &http.Client{Transport: transport}
	}
	if !c.Once {
		opts.Reconnect = &websocket.Reconnect{}
	}
	return websocket.Record(ctx, rec, so, opts)
}

// until returns the condition of --until, nil if it is not set.
func (c *recordCommand) until() func(*schema.Frame) bool {
	if c.Until == "" {
		return nil
	}
	return func(f *schema.Frame) bool { return f.Type == c.Until }
}

func parseHeaders(list []string) (http.Header, error) {
	h := http.Header{}
	for _, line := range list {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, commandline.Errorf("--header %q: it must be of the form Name: value", line)
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}
