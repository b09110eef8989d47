package failure

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// loadLine is one frame of the load. Each tenth states the usage of tokensPerUsage.
func loadLine(session string, i int) string {
	if i%10 == 9 {
		return fmt.Sprintf(`{"session_id":%q,"event_id":%d,"node_id":"n%d","type":"usage","prompt_tokens":3,"completion_tokens":4,"total_tokens":%d}`, session, i+1, i, tokensPerUsage)
	}
	return fmt.Sprintf(`{"session_id":%q,"event_id":%d,"type":"message_chunk","content":"x","id":"think"}`, session, i+1)
}

const tokensPerUsage = 7

// loadLines are the first n frames.
func loadLines(session string, n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(loadLine(session, i))
		text.WriteByte('\n')
	}
	return text.String()
}

// pace is the time between two frames of a source.
const pace = 4 * time.Millisecond

// source records one session until it is stopped.
type source struct {
	session string
	sent    atomic.Int64 // frames, those that were sent again not counted
	acked   atomic.Int64 // frames that the server reported as durable
	resumed int          // connections after the first
	cancel  chan struct{}
	ended   chan struct{} // closed when it sends nothing more
}

func newSource(session string) *source {
	return &source{session: session, cancel: make(chan struct{}), ended: make(chan struct{})}
}

func (s *source) over() bool {
	select {
	case <-s.cancel:
		return true
	default:
		return false
	}
}

// socket sends over WebSockets with a key: after a cut it connects again, and goes on after the
// last frame that was acknowledged. It closes the stream when it was stopped and all is
// acknowledged.
func (s *source) socket(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, bounded.Limit)
	defer cancel()
	for ended, first := false, true; !ended; first = false {
		address := fmt.Sprintf("ws%s/v1/ingest/ws?dialect=loom&session=%s&key=%s&offset=%d", strings.TrimPrefix(server, "http"), s.session, s.session, s.acked.Load())
		c, resp, err := websocket.Dial(ctx, address, nil)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			if resp != nil && resp.StatusCode < 500 && resp.StatusCode != http.StatusConflict && resp.StatusCode != http.StatusTooManyRequests {
				text, _ := io.ReadAll(resp.Body)
				return fmt.Errorf("%w: %s", err, text)
			}
			time.Sleep(pace) // a client waits before it tries again
			continue
		}
		if !first {
			s.resumed++
		}
		ended, err = s.feed(ctx, c)
		c.CloseNow()
		if err != nil {
			return err
		}
	}
	return nil
}

// feed sends over one connection until it is cut, or all is acknowledged.
func (s *source) feed(ctx context.Context, c *websocket.Conn) (ended bool, err error) {
	cut, refused := make(chan struct{}), error(nil)
	go func() {
		defer close(cut)
		for {
			_, text, err := c.Read(ctx)
			if err != nil {
				return
			}
			var m struct {
				Ack *int64 `json:"ack"`
			}
			switch {
			case json.Unmarshal(text, &m) != nil || m.Ack == nil:
				refused = fmt.Errorf("session %s: the server says %s", s.session, text)
				return
			case *m.Ack+1 < s.acked.Load():
				refused = fmt.Errorf("session %s: %d frames are durable after %d were", s.session, *m.Ack+1, s.acked.Load())
				return
			}
			s.acked.Store(*m.Ack + 1)
		}
	}()
	for i := s.acked.Load(); !s.over() || i < s.sent.Load(); i++ {
		if c.Write(ctx, websocket.MessageText, []byte(loadLine(s.session, int(i)))) != nil {
			<-cut
			return false, refused
		}
		s.sent.Store(max(s.sent.Load(), i+1))
		select {
		case <-cut:
			return false, refused
		case <-time.After(pace):
		}
	}
	for s.acked.Load() < s.sent.Load() {
		select {
		case <-cut:
			return false, refused
		case <-time.After(pace):
		}
	}
	err = c.Close(websocket.StatusNormalClosure, "")
	<-cut
	return err == nil, refused
}

// command writes to a `tapedeck record` until the source is stopped, or has sent so many frames.
func (s *source) command(t *testing.T, server, state string, frames int64) error {
	cmd := (&commandtest.Instance{URL: server, Dir: state}).Command(t, "record", "--no-wait", "--dialect", "loom", "--session", s.session, "-")
	said := &commandtest.LogBuffer{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	for i := int64(0); i < frames && !s.over(); i++ {
		if _, err := fmt.Fprintln(in, loadLine(s.session, int(i))); err != nil {
			break // its end reports why
		}
		s.sent.Store(i + 1)
		time.Sleep(pace) // the load has a rate
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("record %s: %w: %s", s.session, err, said)
	}
	return nil
}

// rollingLoad is sources that run side by side.
type rollingLoad struct {
	running sync.WaitGroup
	mu      sync.Mutex // guards what follows
	sources []*source
	errs    []error
}

func (l *rollingLoad) add(s *source, run func(*source) error) {
	l.mu.Lock()
	l.sources = append(l.sources, s)
	l.mu.Unlock()
	l.running.Go(func() {
		defer close(s.ended)
		if err := run(s); err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, err)
		}
	})
}

// failed reports what went wrong so far.
func (l *rollingLoad) failed(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, err := range l.errs {
		t.Error(err)
	}
	if len(l.errs) > 0 {
		t.FailNow()
	}
}
