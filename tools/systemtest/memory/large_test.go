package memory

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// largeBytes is the size of a large frame.
const largeBytes = 16_000_000

// filler is the text of large frames, which does not compress well.
var filler = func() string {
	random := make([]byte, largeBytes*3/4)
	_, _ = rand.Read(random) // it never fails
	return base64.StdEncoding.EncodeToString(random)
}()

// largeFrame returns a line of largeBytes that belongs to a session.
func largeFrame(session string) string {
	head, end := `{"session_id":"`+session+`","text":"`, "\"}\n"
	return head + filler[:largeBytes-len(head)-len(end)] + end
}

// tally counts what happened to clients: refusals, and connections that ended without an answer. An
// answer that comes while a body is still sent may be lost with the connection.
type tally struct{ refused, cut atomic.Int64 }

// postLarge sends a large frame as a body until it is accepted. Without known, the length of the body
// is not stated.
func (s *server) postLarge(ctx context.Context, n *tally, tenant, session string, known bool) error {
	line := largeFrame(session)
	for ctx.Err() == nil {
		var body io.Reader = strings.NewReader(line)
		if !known {
			body = io.MultiReader(body)
		}
		resp, err := s.client.Do(s.request(tenant, http.MethodPost, "/v1/ingest?session="+session, body).WithContext(ctx))
		if err != nil {
			n.cut.Add(1)
			time.Sleep(time.Second) // the client retries a cut connection after a second
			continue
		}
		if resp.StatusCode == http.StatusOK {
			resp.Body.Close()
			return nil
		}
		again, err := refusal(resp)
		resp.Body.Close()
		if err != nil {
			return err
		}
		n.refused.Add(1)
		time.Sleep(again) // the Retry-After of the refusal
	}
	return fmt.Errorf("body %s was not accepted: %w", session, ctx.Err())
}

// sendLarge sends a large frame over a WebSocket until it is acknowledged.
func (s *server) sendLarge(ctx context.Context, n *tally, tenant, session string) error {
	for ctx.Err() == nil {
		acked, again, err := s.sendOnce(ctx, tenant, session)
		switch {
		case acked:
			return nil
		case err != nil:
			return err
		case again == 0:
			n.cut.Add(1)
			again = time.Second
		default:
			n.refused.Add(1)
		}
		time.Sleep(again) // the Retry-After of the refusal
	}
	return fmt.Errorf("WebSocket %s was not accepted: %w", session, ctx.Err())
}

func (s *server) sendOnce(ctx context.Context, tenant, session string) (acked bool, again time.Duration, err error) {
	c, resp, err := s.dial(ctx, tenant, session)
	if resp != nil && err != nil && resp.StatusCode != 0 {
		again, err = refusal(resp)
		return false, again, err
	}
	if err != nil {
		return false, 0, nil //nolint:nilerr // cut
	}
	defer c.CloseNow()
	written := make(chan error, 1)
	message := strings.TrimSuffix(largeFrame(session), "\n") // it is read back as a line
	go func() { written <- c.Write(ctx, websocket.MessageText, []byte(message)) }()
	_, text, err := c.Read(ctx)
	if err != nil {
		_ = c.CloseNow() // for the writer to end
		<-written
		return false, 0, nil //nolint:nilerr // cut
	}
	var said struct {
		Ack        *int
		Error      string
		Durable    int
		RetryAfter int `json:"retry_after_s"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return false, 0, err
	}
	if said.Ack != nil {
		return true, 0, errors.Join(<-written, c.Close(websocket.StatusNormalClosure, ""))
	}
	if said.RetryAfter == 0 || said.Durable != -1 {
		return false, 0, fmt.Errorf("WebSocket %s was refused with %s", session, text)
	}
	_ = c.CloseNow() // for the writer to end
	<-written
	return false, time.Duration(said.RetryAfter) * time.Second, nil
}

// dial opens a WebSocket that records a session.
func (s *server) dial(ctx context.Context, tenant, session string) (*websocket.Conn, *http.Response, error) {
	c, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session="+session,
		&websocket.DialOptions{HTTPHeader: s.header(tenant), HTTPClient: s.client})
	return c, resp, err
}

// read reads an answer with recordings, slowly if pause is not 0, until ctx ends. It counts the answers
// that came whole.
func (s *server) read(ctx context.Context, n *tally, path string, pause time.Duration, whole *atomic.Int64) error {
	for ctx.Err() == nil {
		resp, err := s.client.Do(s.request("readers", http.MethodGet, path, nil).WithContext(ctx))
		if err != nil {
			if ctx.Err() == nil {
				n.cut.Add(1)
			}
			continue
		}
		if resp.StatusCode != http.StatusOK {
			again, err := refusal(resp)
			resp.Body.Close()
			if err != nil {
				return err
			}
			n.refused.Add(1)
			time.Sleep(again) // the Retry-After of the refusal
			continue
		}
		buf := make([]byte, 1<<20)
		for err == nil {
			_, err = resp.Body.Read(buf)
			time.Sleep(pause) // the reader under test is slow
		}
		resp.Body.Close()
		if errors.Is(err, io.EOF) {
			whole.Add(1)
		}
	}
	return nil
}
