// Package otlpforward sends the spans of ended sessions to an OTLP endpoint over HTTP, each session once in the form
// in which it ended, from a durable position on. Ids of spans are the same each time, so that a session that is sent
// again, after it has grown or after an interruption, replaces itself where the receiver knows ids.
package otlpforward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/endedsessions"
	"tapedeck/query/facts/sessionhead"
)

// mostRequest bounds the spans in one request, bytes before compression. Receivers bound requests too: the
// collector takes 20 MiB.
const mostRequest = 1 << 20

// Forwarder sends sessions of one server to one endpoint.
type Forwarder struct {
	Client   *apiclient.Client // of the tapedeck server
	Endpoint string            // the URL for traces, as http://127.0.0.1:4318/v1/traces
	Headers  map[string]string // of each request to the endpoint
	Content  bool              // with messages, arguments and results
	State    string            // the file of the position
	From     time.Time         // a new position begins with the sessions that have a frame from this time on
	Attempts int               // bounds the attempts to send a request; 0 for no bound
	Said     func(line string) // receives what went wrong; may be nil

	client   http.Client
	position *position
}

// Result counts what a round did.
type Result struct {
	Sessions int   `json:"sessions"` // sent
	Spans    int   `json:"spans"`    // sent
	Rejected int64 `json:"rejected"` // spans that the endpoint did not take of what was sent
	Open     int   `json:"open"`     // sessions that have not ended
	Refused  int   `json:"refused"`  // sessions that the endpoint refused; they are not tried again
	Failed   int   `json:"failed"`   // sessions that could not be read; the next round tries them again
}

// Open opens the position.
func (f *Forwarder) Open() (err error) {
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	f.position, err = openPosition(f.State, f.From.Add(endedsessions.Overlap)) // which a walk goes back
	return err
}

// Close releases the position.
func (f *Forwarder) Close() error { return f.position.close() }

// Round sends the sessions that have ended since the last round. It waits while the endpoint is away, unless attempts
// are bounded, and ends with an error if the endpoint refuses all requests.
func (f *Forwarder) Round(ctx context.Context) (r Result, err error) {
	next, open, err := endedsessions.Walk(ctx, f.Client, f.position.CompleteTo, time.Now(), func(s *sessionhead.Summary) (bool, error) {
		return f.session(ctx, s, &r)
	})
	r.Open = open
	if err != nil {
		return r, err
	}
	return r, f.position.complete(next)
}

// session sends a session, unless it was sent in this form. It reports whether it was sent.
func (f *Forwarder) session(ctx context.Context, s *sessionhead.Summary, r *Result) (bool, error) {
	form := fmt.Sprintf("%d %d %d %t", s.LastAt.UnixNano(), s.Streams, s.Frames, s.Ended != nil)
	if f.position.isSent(s.ID, form, s.LastAt) {
		return true, nil
	}
	q := url.Values{}
	if f.Content {
		q.Set("content", "1")
	}
	var text bytes.Buffer
	if err := f.Client.Copy(ctx, apiclient.SessionPath(s.ID, "otlp"), q, "application/json", &text); err != nil {
		refused, ok := errors.AsType[*apiclient.Error](err)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone):
			return true, nil // it was deleted meanwhile
		case ok && refused.Status == http.StatusRequestEntityTooLarge:
			f.say(fmt.Sprintf("session %s is left out: %v", s.ID, err))
			return true, f.position.sent(s.ID, form)
		case ok && refused.Status/100 == 4:
			return false, err // no session can be read
		}
		r.Failed++
		f.say(fmt.Sprintf("session %s is not sent: %v", s.ID, err))
		return false, nil
	}
	bodies, spans, err := requests(text.Bytes(), mostRequest)
	if err != nil {
		return false, err
	}
	for i, body := range bodies {
		rejected, why, err := f.send(ctx, body)
		if no, ok := errors.AsType[*refused](err); ok && !no.all {
			r.Refused++
			f.say(fmt.Sprintf("session %s is left out: %v", s.ID, err))
			return true, f.position.sent(s.ID, form)
		}
		if err != nil {
			return false, err
		}
		if rejected > 0 {
			r.Rejected += rejected
			f.say(fmt.Sprintf("the endpoint rejected %d spans of session %s: %s", rejected, s.ID, why))
		}
		r.Spans += spans[i]
	}
	r.Sessions++
	return true, f.position.sent(s.ID, form)
}

func (f *Forwarder) say(line string) {
	if f.Said != nil {
		f.Said(line)
	}
}
