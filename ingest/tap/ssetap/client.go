// Package ssetap records the response to an HTTP request: an event stream, to which it reconnects
// as browsers do, or lines.
package ssetap

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/backoff"
	"tapedeck/internal/origin"
	"tapedeck/internal/secrets"
)

// Options configure the request. The zero value of a field means its default.
type Options struct {
	URL    string
	Method string // default GET, or POST if there is a Body
	Header http.Header
	Body   []byte
	// Once disables reconnecting.
	Once       bool
	FrameLimit int // bytes; default ingest.DefaultFrameLimit
	// Retry is the wait before reconnecting, unless the server sets it with the retry field;
	// default 1 s. It doubles with each failure up to MaxRetry, default 30 s.
	Retry, MaxRetry time.Duration
	Client          *http.Client // default one without a timeout
	TLS             *tls.Config  // for the default client and https; may be nil
	Log             *slog.Logger
}

// Result describes the recording.
type Result struct {
	ingest.Summary
	Connections int // connections that were answered with a stream
}

// Record sends the request and records the response as one stream, to its end or until ctx ends.
// The Content-Type is text/event-stream, or NDJSON by any of its names; without a Content-Type the
// first bytes determine the format.
//
// If an event stream that was requested with GET ends or breaks, Record reconnects with the
// Last-Event-ID, as WHATWG HTML, section 9.2.3, specifies, until the server answers 204, or sends
// "[DONE]" before the end. The response to any other method, lines, and a stream with Once are
// recorded to their end, and it is an error if they break. Events that a server repeats after a
// reconnect are recorded again; an incomplete event at a break is a frame marked FlagUnterminated.
//
// After a status of 408, 429 or 5xx, Record tries again in the cases in which it reconnects, after
// the Retry-After if there is one; another status is an error that quotes the response. The end of
// ctx is not an error. The summary is valid even if there is an error.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (Result, error) {
	if opts.Method == "" {
		opts.Method = http.MethodGet
		if len(opts.Body) > 0 {
			opts.Method = http.MethodPost
		}
	}
	if opts.Retry == 0 {
		opts.Retry = time.Second
	}
	if opts.MaxRetry == 0 {
		opts.MaxRetry = 30 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Client == nil {
		transport := newTransport()
		transport.TLSClientConfig = opts.TLS
		defer transport.CloseIdleConnections()
		opts.Client = &http.Client{Transport: transport, CheckRedirect: origin.GuardRedirects(opts.Header)}
	}
	target, err := url.Parse(opts.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return Result{}, fmt.Errorf("%q is not an http or https address", secrets.URL(opts.URL))
	}
	// Without the query, which may hold a token.
	where := (&url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path}).String()
	if so.Source == "" {
		so.Source = where
	}
	t := &tap{
		rec: rec, so: so, opts: opts, url: where,
		wait: backoff.Backoff{Min: opts.Retry, Max: max(opts.Retry, opts.MaxRetry)},
	}
	recordCtx, cancel := copier.WithGrace(ctx, copier.CloseTimeout)
	defer cancel()
	t.recordCtx = recordCtx
	reason, err := t.run(ctx)
	if err != nil {
		err = fmt.Errorf("record %s: %w", where, err)
	}
	if t.stream == nil {
		return Result{}, err
	}
	result := Result{Connections: t.connections}
	var closeErr error
	result.Summary, closeErr = copier.Close(ctx, t.stream, reason)
	if err == nil {
		err = closeErr
	}
	return result, err
}

// newTransport returns a transport for streams: it does not buffer, and detects an
// unreachable peer.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	return t
}
