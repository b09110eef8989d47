package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// small is an open stream that sends a small frame now and then.
type small struct {
	server          *server
	tenant, session string
	sent            int

	socket *websocket.Conn // nil for a body
	acked  int             // of a socket

	body   *io.PipeWriter
	answer chan error
}

// open opens a stream.
func (m *small) open(ctx context.Context, socket bool) error {
	if socket {
		var err error
		m.socket, _, err = m.server.dial(ctx, m.tenant, m.session)
		return err
	}
	from, to := io.Pipe()
	m.body, m.answer = to, make(chan error, 1)
	request := m.server.request(m.tenant, http.MethodPost, "/v1/ingest?session="+m.session, from).WithContext(ctx)
	go func() {
		resp, err := m.server.client.Do(request)
		if err != nil {
			m.answer <- err
			return
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		var said struct{ Frames int }
		if err == nil && resp.StatusCode == http.StatusOK {
			err = json.Unmarshal(text, &said)
		} else {
			err = errors.Join(err, fmt.Errorf("%s: %s", resp.Status, text))
		}
		if err == nil && said.Frames != m.sent {
			err = fmt.Errorf("%d of %d frames were acknowledged", said.Frames, m.sent)
		}
		m.answer <- err
	}()
	return nil
}

// send sends one frame; over a WebSocket it waits until the frame is acknowledged.
func (m *small) send(ctx context.Context) error {
	m.sent++
	line := fmt.Sprintf(`{"session_id":"%s","n":%d,"text":"a small frame of an agent that works on something"}`, m.session, m.sent)
	if m.socket == nil {
		_, err := io.WriteString(m.body, line+"\n")
		return err
	}
	if err := m.socket.Write(ctx, websocket.MessageText, []byte(line)); err != nil {
		return err
	}
	for m.acked < m.sent {
		_, text, err := m.socket.Read(ctx)
		if err != nil {
			return err
		}
		var said struct {
			Ack   *int
			Error string
		}
		if err := json.Unmarshal(text, &said); err != nil || said.Ack == nil {
			return fmt.Errorf("received %s: %w", text, err)
		}
		m.acked = *said.Ack + 1
	}
	return nil
}

// close ends the stream.
func (m *small) close() error {
	if m.socket != nil {
		return m.socket.Close(websocket.StatusNormalClosure, "")
	}
	_ = m.body.Close() // it returns nil
	return <-m.answer
}
