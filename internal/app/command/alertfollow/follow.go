// Package alertfollow receives alerts from a server as they begin and end.
package alertfollow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"tapedeck/ingest/framing/sse"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/backoff"
	"tapedeck/internal/console"
	"tapedeck/schema"
)

const path = "v1/alerts"

// longest bounds an event of the stream, bytes.
const longest = 1 << 20

var errEnded = errors.New("the server ended the stream")

// Follower follows the alerts that a query selects.
type Follower struct {
	Client *apiclient.Client
	Query  url.Values
	// Alert is called with each alert as it begins or ends; first with those that are open.
	Alert func(alert json.RawMessage) error
	Notes io.Writer // receives a line when the connection ends
	// Wait bounds the pauses between attempts to connect again; the zero value means from 1 s to 30 s.
	Wait backoff.Backoff

	last string // the id of the last event
}

// Run follows alerts until ctx ends, which is no error. It connects again, and goes on after the last event, unless the
// server refuses the request.
func (f *Follower) Run(ctx context.Context) error {
	if f.Wait.Min == 0 {
		f.Wait = backoff.Backoff{Min: time.Second, Max: 30 * time.Second}
	}
	for connected := false; ; {
		err := f.once(ctx, &connected)
		switch {
		case ctx.Err() != nil:
			return nil
		case !connected || final(err):
			return err
		}
		fmt.Fprintf(console.To(f.Notes), "note     the connection ended, connecting again: %v\n", err)
		if !backoff.Sleep(ctx, f.Wait.Next()) {
			return nil
		}
	}
}

// final reports whether the same request will have the same error.
func final(err error) bool {
	if _, own := errors.AsType[*consumerError](err); own {
		return true
	}
	e, refused := errors.AsType[*apiclient.Error](err)
	return refused && e.Status/100 == 4 && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout
}

// consumerError is an error of Follower.Alert, or of a stream that this version cannot read.
type consumerError struct{ error }

func (e *consumerError) Unwrap() error { return e.error }

// once connects, and receives events until the stream ends.
func (f *Follower) once(ctx context.Context, connected *bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Client.URL(path, f.Query), nil)
	if err != nil {
		return err
	}
	f.Client.Authorize(req.Header)
	req.Header.Set("Accept", "text/event-stream")
	if f.last != "" {
		req.Header.Set("Last-Event-ID", f.last)
	}
	resp, err := f.Client.HTTP.Do(req)
	if err != nil {
		return apiclient.Unreachable(f.Client.Base.String(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return f.Client.Refusal(resp, path)
	}
	if err := f.Client.CheckServer(ctx, resp); err != nil {
		return err
	}
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != "text/event-stream" {
		return &consumerError{errors.New("the server sends no stream of alerts: its version is older than this one. Leave --follow out")}
	}
	*connected = true
	return f.receive(resp.Body)
}

// receive passes the alerts of a stream on until it ends, which is an error.
func (f *Follower) receive(body io.Reader) error {
	framer, buf := sse.NewFramer(longest), make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		if broken := framer.Split(buf[:n], 0, f.take); broken != nil {
			return broken
		}
		if errors.Is(err, io.EOF) {
			return errEnded
		}
		if err != nil {
			return err
		}
	}
}

// take takes an event of the stream.
func (f *Follower) take(frame *schema.Frame) error {
	if frame.Flags.Has(schema.FlagOversize) {
		return &consumerError{fmt.Errorf("the server sent an event of more than %d bytes", longest)}
	}
	e, _ := schema.Unframe(frame, nil)
	if e.Empty {
		return nil
	}
	f.Wait.Reset()
	switch e.Event {
	case "alert.began", "alert.ended":
		if err := f.Alert(json.RawMessage(e.Data)); err != nil {
			return &consumerError{err}
		}
	case "error":
		p := &apiclient.Error{}
		if json.Unmarshal(e.Data, p) != nil {
			return fmt.Errorf("the server ended the stream: %s", console.Clip(string(e.Data), 200))
		}
		return p
	}
	if e.ID != "" {
		f.last = e.ID
	}
	return nil
}
