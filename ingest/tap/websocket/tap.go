// Package websocket records WebSocket connections, as a client (Record) and as a server that
// receives frames to record (Handler). Each text or binary message is one frame, whose Raw is the
// payload.
//
// A library implements the protocol and answers pings; a Framer records the bytes that the
// library reads. Control frames are not recorded; the end reason of a stream says how its
// connection was closed.
package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// Options configure a connection and its end.
type Options struct {
	URL          string // ws, wss, http or https
	Header       http.Header
	Subprotocols []string
	// Send holds messages that are sent after each connect, in order, and recorded.
	Send       []Payload
	FrameLimit int // bytes; ingest.DefaultFrameLimit if 0
	// Until, if set, is called with every received frame after it was decoded. Once it returns
	// true, nothing more is recorded and the connection is closed. The frame is valid during the
	// call. A frame that is held back because it may contain the beginning of a secret is decoded
	// up to redact.HoldFor later; frames that arrive meanwhile are recorded.
	Until func(f *schema.Frame) bool
	// Reconnect, if set, connects again after a connection was cut or the server went away, and
	// after a failed attempt. It stops when a connection is closed normally (1000, or without a
	// code), or when the server refuses it with a status below 500 other than 408 and 429. The
	// stream continues, with a note at the place of the interruption.
	Reconnect *Reconnect
	Client    *http.Client // for the handshake; http.DefaultClient if nil
	Log       *slog.Logger
}

// Payload is one message to send.
type Payload struct {
	Data   []byte
	Binary bool
}

// Record connects and records until the connection ends, ctx ends, or Until returns true. The end
// of ctx is a normal end: the connection is closed and all received frames are made durable. An
// error reports a failed connection, or frames that could not be recorded; the summary is valid
// even if there is an error.
//
// The stream's end reason is "closed" if the connection was closed normally, "error: closed with
// <code> <reason>" if not, and "error: …" if the connection was cut.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (ingest.Summary, error) {
	if opts.FrameLimit == 0 {
		opts.FrameLimit = ingest.DefaultFrameLimit
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	so.Transport = schema.WebSocket
	if so.Source == "" {
		so.Source = secrets.URL(opts.URL)
	}
	if u, err := url.Parse(opts.URL); err != nil || u.Host == "" || !slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme) {
		return ingest.Summary{}, fmt.Errorf("%q is not the address of a WebSocket, such as wss://host/path",
			secrets.URL(opts.URL))
	}
	t := &tap{opts: opts, reached: make(chan struct{})}
	if opts.Until != nil {
		so.Passed = t.passed
	}
	first, err := t.first(ctx)
	if err != nil {
		return ingest.Summary{}, err
	}
	if t.stream, err = rec.Open(so); err != nil {
		first.discard()
		return ingest.Summary{}, err
	}
	last := t.run(ctx, first)
	// Received frames are recorded even if ctx has ended.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	summary, err := t.stream.Close(end, last.reason)
	if last.err != nil {
		err = last.err // the first error, which usually caused the error of closing
	}
	return summary, err
}

// closeTimeout bounds how long the end of a stream may take to become durable.
const closeTimeout = 30 * time.Second

// tap is one recording.
type tap struct {
	opts    Options
	stream  *ingest.Stream
	reached chan struct{} // closed once Options.Until returned true
}

// passed ends the recording after a frame for which Options.Until returns true. The stream calls
// it, one call at a time.
func (t *tap) passed(f *schema.Frame) {
	if f.Direction == schema.Receive && !t.isReached() && t.opts.Until(f) {
		close(t.reached)
	}
}

func (t *tap) isReached() bool {
	select {
	case <-t.reached:
		return true
	default:
		return false
	}
}

// first opens the first connection.
func (t *tap) first(ctx context.Context) (*connection, error) {
	conn, err := t.connect(ctx)
	if err == nil || t.opts.Reconnect == nil || isPermanent(err) {
		return conn, err
	}
	t.opts.Log.Warn("websocket: could not connect, trying again", "error", err)
	wait := t.opts.Reconnect.backoff()
	conn, permanent := t.again(ctx, &wait)
	if conn == nil && permanent != nil {
		err = permanent
	}
	if conn == nil {
		return nil, err
	}
	return conn, nil
}

// run records one connection after another, and returns how the last one ended.
func (t *tap) run(ctx context.Context, conn *connection) ending {
	var wait backoff.Backoff
	if t.opts.Reconnect != nil {
		wait = t.opts.Reconnect.backoff()
	}
	for {
		end := conn.run(ctx)
		if t.opts.Reconnect == nil || !end.again || ctx.Err() != nil {
			return end
		}
		if conn.messages > 0 {
			wait.Reset()
		}
		t.opts.Log.Warn("websocket: connecting again", "url", secrets.URL(t.opts.URL), "reason", end.reason)
		began := time.Now()
		next, err := t.again(ctx, &wait)
		if next == nil {
			end.err = err
			return end
		}
		conn = next
		note := fmt.Sprintf("%s; connected again after %s", end.reason, time.Since(began).Round(time.Millisecond))
		err = t.stream.Record(ctx, &schema.Frame{
			At: ingest.Now(), Transport: schema.WebSocket, Flags: schema.FlagNote, Raw: []byte(note),
		})
		if err != nil {
			conn.discard()
			return ending{reason: recordingFailed, err: err}
		}
	}
}

// again retries until it is connected. The connection is nil if ctx ends, or if the server refuses
// it permanently, in which case again returns the error.
func (t *tap) again(ctx context.Context, wait *backoff.Backoff) (*connection, error) {
	for backoff.Sleep(ctx, wait.Next()) {
		conn, err := t.connect(ctx)
		if err == nil || isPermanent(err) {
			return conn, err
		}
		t.opts.Log.Warn("websocket: could not connect again", "error", err)
	}
	return nil, nil
}

// permanentError reports a refusal that would be repeated on another attempt.
type permanentError struct{ error }

func isPermanent(err error) bool {
	_, is := errors.AsType[permanentError](err)
	return is
}

// quoteLimit bounds how much of a server's response is quoted in an error, bytes.
const quoteLimit = 200

// refused returns an error that describes why there is no connection.
func refused(address string, answer *http.Response, err error) error {
	address = secrets.URL(address)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address, which may hold a token
	}
	if answer == nil || answer.StatusCode == http.StatusSwitchingProtocols {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	said := ""
	if answer.Body != nil {
		// The bytes that were read before an error are sufficient.
		body, _ := io.ReadAll(io.LimitReader(answer.Body, quoteLimit))
		if text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "")), " "); text != "" {
			said = fmt.Sprintf(", saying %q", text)
		}
	}
	hint := "is this the address of a WebSocket server?"
	if answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden {
		hint = "it may want a header with a token"
	}
	err = fmt.Errorf("connect to %s: the server answered %s%s; %s", address, answer.Status, said, hint)
	switch code := answer.StatusCode; {
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return err
	}
	return permanentError{err}
}
