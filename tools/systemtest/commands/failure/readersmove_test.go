package failure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// moved is a reader behind a load balancer of its own.
type moved struct {
	name   string
	query  string
	link   *relay
	read   func(ctx context.Context, url string) (frames []string, err error)
	frames []string
	err    error
}

// Servers that send playbacks are restarted one after the other. Readers are moved to another
// server, and go on there after their last frame, at the recorded speed and live: each frame comes
// once, in its order.
func TestReadersMoveToAnotherServer(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	needEventSource(t)
	c := commandtest.NewCluster(t, local.Options{})
	recording := c.Serve(t, "ingest,sink")
	servers := []*restarted{}
	for range 2 {
		servers = append(servers, restartableOf(t, c, "api", "--drain-delay", "100ms"))
	}
	l := &rollingLoad{}
	finished, live := newSource("finished"), newSource("live")
	for _, s := range []*source{finished, live} {
		l.add(s, func(s *source) error { return s.socket(t.Context(), recording.URL) })
	}
	bounded.Until(t, "a recording", func() bool { l.failed(t); return finished.acked.Load() >= 800 })
	close(finished.cancel)
	bounded.Receive(t, finished.ended)
	checkLoad(t, servers[0].now(), "finished", int(finished.sent.Load()))

	following := []*moved{
		{name: "EventSource at speed 1", query: "live/replay?follow=1&speed=1", read: eventSource},
		{name: "EventSource live", query: "live/replay?follow=1&speed=max", read: eventSource},
		{name: "WebSocket at speed 1", query: "live/replay?follow=1&speed=1", read: webSocket},
		{name: "WebSocket live", query: "live/replay?follow=1&speed=max", read: webSocket},
	}
	over := []*moved{ // begun last, since they end by themselves
		{name: "EventSource of a finished session", query: "finished/replay?speed=1", read: eventSource},
		{name: "WebSocket of a finished session", query: "finished/replay?speed=1", read: webSocket},
	}
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
	defer cancel()
	var reading sync.WaitGroup
	begin := func(readers []*moved) {
		for _, m := range readers {
			m.link = newRelay(t, firstReady(servers...), nil)
			reading.Go(func() { m.frames, m.err = m.read(ctx, m.link.url()+"/v1/sessions/"+m.query) })
		}
	}
	reach := func(readers []*moved, connections int) {
		t.Helper()
		for _, m := range readers {
			bounded.Until(t, fmt.Sprintf("connection %d of the %s", connections, m.name), func() bool {
				opened, came := m.link.seen()
				return opened >= connections && came > 4000
			})
		}
	}
	defer func() {
		if t.Failed() {
			cancel()
			reading.Wait()
			for _, m := range append(following, over...) {
				if m.link != nil {
					opened, came := m.link.seen()
					t.Logf("%s: %d connections, %d bytes on the latest, %v", m.name, opened, came, m.err)
				}
			}
			for _, r := range servers {
				t.Log(r.now().Log)
			}
		}
	}()
	begin(following)
	reach(following, 1)
	begin(over)
	reach(over, 1)
	const restarts = 3
	for n := range restarts {
		s := servers[n%2] // the readers are on it
		s.stop(t)
		reach(following, n+2) // on the other
		s.begin(t)
	}
	close(live.cancel)
	bounded.Wait(t, l.running.Wait)
	l.failed(t)
	bounded.Wait(t, reading.Wait)
	for _, m := range append(following, over...) {
		opened, _ := m.link.seen()
		s := live
		if strings.HasPrefix(m.query, "finished") {
			s = finished
		}
		want, got := loadLines(s.session, int(s.sent.Load())), strings.Join(append(m.frames, ""), "\n")
		switch {
		case m.err != nil:
			t.Errorf("%s: %v", m.name, m.err)
		case got != want:
			t.Errorf("%s: %d frames over %d connections, %d were recorded: %s", m.name, len(m.frames), opened, s.sent.Load(), firstDifference(got, want))
		case s == finished && opened < 2:
			t.Errorf("%s: it was not moved: this shows nothing", m.name)
		}
		t.Logf("%s: %d frames over %d connections", m.name, len(m.frames), opened)
	}
}

// frameOf returns the frame of a message, "" if it is of another kind, and the id from which a
// reader goes on.
func frameOf(message []byte) (frame, id string, ended bool, err error) {
	var m struct {
		Type             string
		Position, Resume string
		Frame            json.RawMessage
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return "", "", false, err
	}
	if m.Type == "error" {
		return "", "", false, fmt.Errorf("the server says %s", message)
	}
	if m.Resume != "" {
		m.Position = m.Resume
	}
	return string(m.Frame), m.Position, m.Type == "end", nil
}

const eventSourceScript = "../../../../tools/systemtest/clients/eventsource.mjs"

// needEventSource ends a test where the EventSource of tools/systemtest/clients is not installed.
func needEventSource(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("../../../../tools/systemtest/clients/node_modules/.installed")
	}
	if err != nil {
		fulltest.Missing(t, fmt.Sprintf("%v: install Node.js and run \"make clients\"", err))
	}
}

// eventSource follows a stream with the EventSource of Node.js, which connects again by itself.
func eventSource(ctx context.Context, base string) (frames []string, err error) {
	cmd := exec.CommandContext(ctx, "node", eventSourceScript, base, "end", "message_chunk", "usage")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	var seen struct{ Events []struct{ Data string } }
	if err := json.Unmarshal(out, &seen); err != nil {
		return nil, err
	}
	for _, e := range seen.Events {
		frame, _, ended, err := frameOf([]byte(e.Data))
		if err != nil {
			return frames, err
		}
		if !ended && frame != "" {
			frames = append(frames, frame)
		}
	}
	return frames, nil
}

// webSocket follows a stream over WebSockets: after a cut it connects again, with the id of its
// last frame.
func webSocket(ctx context.Context, base string) (frames []string, err error) {
	for last := ""; ; {
		address := "ws" + strings.TrimPrefix(base, "http")
		if last != "" {
			address += "&last_event_id=" + url.QueryEscape(last)
		}
		c, resp, err := websocket.Dial(ctx, address, nil)
		if err != nil {
			if ctx.Err() != nil || resp != nil && resp.StatusCode != http.StatusServiceUnavailable {
				return frames, err
			}
			time.Sleep(pace) // a client waits before it tries again
			continue
		}
		for {
			_, message, err := c.Read(ctx)
			if err != nil {
				break
			}
			frame, id, ended, err := frameOf(message)
			if err != nil || ended {
				c.CloseNow()
				return frames, err
			}
			if frame != "" {
				frames, last = append(frames, frame), id
			}
		}
		c.CloseNow()
		if ctx.Err() != nil {
			return frames, ctx.Err()
		}
	}
}
