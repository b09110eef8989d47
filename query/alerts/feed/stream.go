package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"

	"tapedeck/internal/problem"
	slowclient "tapedeck/internal/slow"
	"tapedeck/query/alerts"
)

// stream is the answer to one client: server-sent events.
type stream struct {
	query     alerts.Query
	at        *Position // what the client has
	resumed   bool      // the client has sent a position
	heartbeat time.Duration
	body      *slowclient.Writer
	buffer    bytes.Buffer
	sent      int // alerts
}

// Types of events. The first two have the alert as it is.
const (
	eventBegan = "alert.began"
	eventEnded = "alert.ended"
	eventLive  = "live"  // what was stored was sent, and changes follow as they happen
	eventError = "error" // the last event, with a problem
)

// retry is how long a client waits until it connects again, ms. Without it browsers wait 3 s or more.
const retry = "retry: 1000\n"

// writeSize is the size above which the buffer is written.
const writeSize = 64 << 10

var errSlow = errors.New("the client reads too slowly")

// begin sends the header.
func (s *stream) begin(w http.ResponseWriter, timeout *slowclient.Timeout) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	// A read deadline of the server would look like a client that disconnected. Only tests have no connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	s.body = slowclient.NewWriter(w, timeout)
	s.buffer.WriteString(retry)
}

// run sends what is stored, and then what changes, until the client or the server ends it.
func (s *stream) run(ctx context.Context, sub *Subscription, page []alerts.Change, read func(after alerts.Change) ([]alerts.Change, error)) (outcome string, err error) {
	for {
		for _, c := range page {
			if s.resumed && s.at.Has(c.Version) {
				continue
			}
			if err := s.alert(c, s.resumed); err != nil {
				return outcomeOf(err), err
			}
		}
		if len(page) < pageSize {
			break
		}
		if page, err = read(page[len(page)-1]); err != nil {
			return failed, err
		}
	}
	if err := s.event(eventLive, s.at.String(), map[string]int{"alerts": s.sent}); err != nil {
		return outcomeOf(err), err
	}
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for {
		if err := s.flush(); err != nil {
			return outcomeOf(err), err
		}
		select {
		case <-ctx.Done():
			return left, nil
		case <-sub.Slow:
			err := s.event(eventError, "", &problem.Problem{
				Title: "Client too slow", Status: http.StatusRequestTimeout,
				Detail: "More alerts began and ended than this client has read in time.", Hint: "Last-Event-ID goes on after the last event.",
			})
			return slow, errors.Join(errSlow, err, s.flush())
		case <-beat.C:
			s.buffer.WriteString(": heartbeat\n\n")
		case c := <-sub.Changes:
			if err := s.change(c); err != nil {
				return outcomeOf(err), err
			}
		}
	}
}

// change sends a change that the query selects, unless the client has it.
func (s *stream) change(c alerts.Change) error {
	if s.at.Has(c.Version) || !s.query.Selects(c.Alert) {
		return nil
	}
	return s.alert(c, true)
}

// alert sends an alert as it is, with the position as its id, or without: then a client that connects again begins anew.
func (s *stream) alert(c alerts.Change, withID bool) error {
	s.at.Add(c.Version)
	s.sent++
	name, id := eventBegan, ""
	if c.Alert.Ended != nil {
		name = eventEnded
	}
	if withID {
		id = s.at.String()
	}
	return s.event(name, id, c.Alert)
}

// event adds an event to the buffer, and writes a large buffer.
func (s *stream) event(name, id string, data any) error {
	s.buffer.WriteString("event: " + name + "\n")
	if id != "" {
		s.buffer.WriteString("id: " + id + "\n")
	}
	s.buffer.WriteString("data: ")
	e := json.NewEncoder(&s.buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		return err
	}
	s.buffer.WriteByte('\n')
	if s.buffer.Len() < writeSize {
		return nil
	}
	return s.flush()
}

// flush sends the buffer.
func (s *stream) flush() error {
	_, err := s.body.Write(s.buffer.Bytes())
	s.buffer.Reset()
	if err != nil {
		return err
	}
	return s.body.Close()
}

// outcomeOf returns the outcome for an error of a write.
func outcomeOf(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return stuck
	}
	return left
}
