package ssetap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/backoff"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// tap is one recording.
type tap struct {
	rec       *ingest.Recorder
	so        ingest.StreamOptions
	opts      Options
	url       string // without secrets, for the log
	recordCtx context.Context
	wait      backoff.Backoff

	stream      *ingest.Stream // nil until the first answer
	connections int
	frames      uint64 // frames of this connection
	lastID      string // Last-Event-ID
	done        bool   // [DONE] was seen
	scratch     []byte
}

// connectError reports a connection that is to be made again.
type connectError struct {
	err   error
	after time.Duration // the wait that the server requests, 0 for none
}

func (b *connectError) Error() string { return b.err.Error() }
func (b *connectError) Unwrap() error { return b.err }

// errNoContent reports that the server asks for no more connections; errEnded that a stream ended,
// perhaps temporarily.
var (
	errNoContent = errors.New("204 No Content")
	errEnded     = errors.New("the stream ended")
)

// run records one connection after another. It returns the stream's end reason.
func (t *tap) run(ctx context.Context) (string, error) {
	for {
		t.frames = 0
		err := t.connect(ctx)
		again, isBroken := errors.AsType[*connectError](err)
		switch {
		case ctx.Err() != nil && (isBroken || err == nil || errors.Is(err, context.Cause(ctx))):
			return "closed", nil
		case err == nil, errors.Is(err, errNoContent), isBroken && t.done:
			return "eof", nil
		case !isBroken:
			return copier.Reason(err), err
		case !t.reconnects():
			return copier.Reason(again.err), again.err
		}
		if t.frames > 0 {
			t.wait.Reset()
		}
		pause := max(t.wait.Next(), again.after)
		t.opts.Log.Warn("sse: connecting again", "url", t.url, "error", again.err, "retry_in", pause, "last_event_id", t.lastID)
		if !backoff.Sleep(ctx, pause) {
			return "closed", nil
		}
	}
}

// reconnects reports whether a browser's EventSource would reconnect.
func (t *tap) reconnects() bool {
	lines := t.stream != nil && t.so.Transport != schema.SSE
	return t.opts.Method == http.MethodGet && !t.opts.Once && !lines
}

// connect makes one connection and records it to its end. It returns nil if the stream has ended.
func (t *tap) connect(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, t.opts.Method, t.opts.URL, bytes.NewReader(t.opts.Body))
	if err != nil {
		return err
	}
	for name, values := range t.opts.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	setDefault(request.Header, "Accept", "text/event-stream, application/x-ndjson;q=0.9")
	setDefault(request.Header, "Cache-Control", "no-cache")
	if t.lastID != "" {
		request.Header.Set("Last-Event-ID", t.lastID)
	}
	ask := t.ask(request)
	answer, err := t.opts.Client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the address, which may hold a token
		}
		return &connectError{err: err}
	}
	defer answer.Body.Close()
	if err := checkStatus(answer); err != nil {
		return err
	}
	return t.record(ctx, answer, ask)
}

func setDefault(h http.Header, name, value string) {
	if len(h.Values(name)) == 0 {
		h.Set(name, value)
	}
}

// record records a response body, and before it the request and the response's head if ask is not
// nil.
func (t *tap) record(ctx context.Context, answer *http.Response, ask *asked) error {
	var source copier.Source = copier.NewReader(answer.Body)
	transport, known := copier.ByContentType(answer.Header.Get("Content-Type"))
	name := answer.Header.Get("Content-Encoding")
	encoded := name != "" && name != "identity"
	switch {
	case known && encoded && !contentcoding.Known(name):
		return fmt.Errorf("the response has the unsupported Content-Encoding %q", name)
	case !known && (encoded || answer.Header.Get("Content-Type") != ""):
		return fmt.Errorf("the answer is no stream that can be recorded but %q: %s",
			answer.Header.Get("Content-Type"), quote(answer.Body))
	case !known:
		transport, source = copier.Sniff(source)
	}
	t.so.Transport = transport
	if ask != nil {
		t.so.Transport = schema.HTTP
		if t.so.Source == t.url {
			t.so.Source = ask.source()
		}
	}
	if err := t.open(); err != nil {
		return err
	}
	if ask != nil {
		decoded := ""
		if encoded {
			decoded = name
		}
		if err := ask.record(answer, t.opts.Body, decoded, t.opts.FrameLimit, func(f *schema.Frame) error { return t.stream.Record(t.recordCtx, f) }); err != nil {
			return err
		}
	}
	t.connections++
	framer := copier.NewFramer(transport, t.opts.FrameLimit)
	if encoded {
		decoding := copier.NewDecoding(name, framer)
		defer decoding.Stop()
		framer = decoding
	}
	err := copier.Copy(ctx, source, framer, t.frame)
	if failed, ok := errors.AsType[*copier.ReadError](err); ok {
		return &connectError{err: fmt.Errorf("the connection broke: %w", failed.Err)}
	}
	if err == nil && t.reconnects() && !t.done {
		return &connectError{err: errEnded}
	}
	return err
}

func (t *tap) open() error {
	if t.stream != nil {
		return nil
	}
	var err error
	t.stream, err = t.rec.Open(t.so)
	return err
}

// frame records a frame, and keeps its id and retry fields for reconnecting.
func (t *tap) frame(f *schema.Frame) error {
	t.frames++
	if f.Transport == schema.SSE && !f.Flags.Has(schema.FlagUnterminated) && !f.Flags.Has(schema.FlagOversize) {
		var c schema.Content
		c, t.scratch = schema.Unframe(f, t.scratch)
		if c.HasID {
			t.lastID = c.ID
		}
		if c.Retry > 0 {
			t.wait.Min, t.wait.Max = c.Retry, max(c.Retry, t.opts.MaxRetry)
		}
		t.done = string(c.Data) == "[DONE]" || t.done && c.Empty
	}
	return t.stream.Record(t.recordCtx, f)
}
