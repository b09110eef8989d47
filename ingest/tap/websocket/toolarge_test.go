package websocket

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/ingest"
)

// A message that no retry delivers closes the connection as too big; the client is not asked to try again.
func TestLargerThanStored(t *testing.T) {
	l := &listening{}
	l.memory.Refuse(ingest.Permanent(&ingest.TooLargeError{Detail: "block of 2000000 bytes is over the NATS server's max_payload"}))
	h := NewHandler(ingest.NewRecorder(&l.memory, ingest.Settings{BlockFrames: 1}), HandlerOptions{})
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.IngestWS(w, r, "default") }))
	defer l.Close()
	c := l.dial(t, "?session=s&dialect=generic")
	send(t, c, websocket.MessageText, `{"n":0}`)
	if m, err := receive(t, c); err != nil || !strings.Contains(m.Error, "max_payload") || strings.Contains(m.Error, "connect again") {
		t.Errorf("received %+v, %v", m, err)
	}
	if _, err := receive(t, c); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("closed with %v", err)
	}
}
