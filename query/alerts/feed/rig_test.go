package feed_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/slow"
	"tapedeck/query"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/feed"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/endpoint"
	"tapedeck/query/querytest"
)

// serve starts a server of the streams of a tenant, and returns its URL. It ends with the test.
func serve(t *testing.T, r *query.Reader, f *feed.Feed, tenant string, beat time.Duration, write *slow.Timeout) string {
	t.Helper()
	h := feed.Handler{Base: &endpoint.Base{Reader: r, Log: slog.New(slog.DiscardHandler), Clock: time.Now, WriteTimeout: write}, Feed: f, Heartbeat: beat}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Stream(w, r, tenant) }))
	t.Cleanup(s.Close)
	return s.URL
}

// client is a client of a stream.
type client struct {
	t      *testing.T
	cancel context.CancelFunc
	events chan string // as "name id data"
	ids    []string    // of the events that were received
	ended  chan struct{}
}

// connect opens a stream. The answer has begun when it returns.
func connect(t *testing.T, url, query, last string) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", url+"/?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", query, resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	c := &client{t: t, cancel: cancel, events: make(chan string, 1000), ended: make(chan struct{})}
	go c.read(resp.Body)
	t.Cleanup(c.close)
	return c
}

func (c *client) read(body io.ReadCloser) {
	defer close(c.ended)
	defer body.Close()
	var event []string
	for lines := bufio.NewScanner(body); lines.Scan(); {
		switch line := lines.Text(); {
		case line == "" && event != nil:
			c.events <- strings.Join(event, "\n")
			event = nil
		case line != "" && !strings.HasPrefix(line, "retry: "):
			event = append(event, line)
		}
	}
}

// close disconnects.
func (c *client) close() {
	c.cancel()
	<-c.ended
}

// next receives an event: "began ID", "ended ID", "live N", or what came.
func (c *client) next() string {
	c.t.Helper()
	text := bounded.Receive(c.t, c.events)
	fields := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		fields[name] = value
	}
	if fields["id"] != "" {
		c.ids = append(c.ids, fields["id"])
	}
	var data struct {
		ID     string     `json:"id"`
		Ended  *time.Time `json:"ended"`
		Alerts int        `json:"alerts"`
	}
	if json.Unmarshal([]byte(fields["data"]), &data) != nil {
		return text
	}
	switch fields["event"] {
	case "alert.began", "alert.ended":
		if (data.Ended != nil) != (fields["event"] == "alert.ended") {
			c.t.Errorf("%s", text)
		}
		return strings.TrimPrefix(fields["event"], "alert.") + " " + data.ID
	case "live":
		return fmt.Sprint("live ", data.Alerts)
	}
	return text
}

// expect receives events.
func (c *client) expect(want ...string) {
	c.t.Helper()
	for _, w := range want {
		if got := c.next(); got != w {
			c.t.Fatalf("%q, want %q of %q", got, w, want)
		}
	}
}

// last returns the id of the latest event with one.
func (c *client) last() string { return c.ids[len(c.ids)-1] }

// table writes alerts of a tenant.
type table struct {
	t      *testing.T
	writer *alerts.Writer
	tenant string
}

func newTable(t *testing.T, r *query.Reader, tenant string) *table {
	t.Helper()
	return &table{t, querytest.Must[*alerts.Writer](t)(alerts.NewWriter(t.Context(), r)), tenant}
}

// alert returns an alert of a session, named by its rule and id.
func (w *table) alert(session, name, id string, began float64) *evaluate.Alert {
	return &evaluate.Alert{ID: id, Rule: name, Kind: rule.Silence, Session: session, Detail: "no frame", Began: querytest.When(began),
		Tenant: w.tenant, Stream: querytest.StreamID(1), Key: "key-" + id}
}

func (w *table) write(a *evaluate.Alert) *evaluate.Alert {
	w.t.Helper()
	if err := w.writer.Write(w.t.Context(), a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *table) begin(session, name, id string) *evaluate.Alert {
	w.t.Helper()
	return w.write(w.alert(session, name, id, 10))
}

func (w *table) end(a *evaluate.Alert) {
	w.t.Helper()
	over := *a
	over.Ended = querytest.Ptr(querytest.When(50))
	w.write(&over)
}
