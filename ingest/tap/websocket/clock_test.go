package websocket

import (
	"fmt"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
)

// With clock=frame messages have the times that they state.
func TestClockOfMessages(t *testing.T) {
	l := listen(t, HandlerOptions{})
	june := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	conn := l.dial(t, "?clock=frame")
	for i := range 3 {
		text := fmt.Sprintf(`{"type":"user","sessionId":"s","uuid":"u%d","timestamp":%q,"message":{"role":"user","content":"x"}}`,
			i, june.AddDate(0, 0, i).Format(time.RFC3339))
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the messages", func() bool {
		streams := l.memory.Streams()
		return len(streams) == 1 && len(l.memory.Frames(streams[0])) == 3
	})
	for i, f := range l.memory.Frames(l.memory.Streams()[0]) {
		if want := june.AddDate(0, 0, i); f.At != want.UnixNano() {
			t.Errorf("message %d arrived %v, want %v", i, time.Unix(0, f.At).UTC(), want)
		}
	}
}
