package websocket

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
)

// A client that sends faster than its rate for longer than the timeout is closed with 1013. The
// last message and the reason name the limit, and what is durable is what was recorded.
func TestRateIsNamed(t *testing.T) {
	l := listen(t, HandlerOptions{Timeout: 200 * time.Millisecond})
	slow := admission.New(t.Context(), admission.Options{Next: &l.memory, Rates: admission.Rates{FramesPerTenant: 1}})
	l.handler.recorder = ingest.NewRecorder(slow, ingest.Settings{BlockFrames: 1})
	c := l.dial(t, "?session=s&dialect=generic")
	for range 5 {
		send(t, c, websocket.MessageText, `{"a":1}`)
	}
	var last refusal
	for {
		_, text, err := c.Read(t.Context())
		if err != nil {
			closed, is := errors.AsType[websocket.CloseError](err)
			if !is || closed.Code != websocket.StatusTryAgainLater || !strings.Contains(closed.Reason, "--max-frames-per-second-per-tenant") {
				t.Errorf("closed with %v", err)
			}
			break
		}
		if strings.Contains(string(text), "error") {
			if err := json.Unmarshal(text, &last); err != nil {
				t.Fatal(err)
			}
		}
	}
	if last.Limit != "max-frames-per-second-per-tenant" || last.RetryAfter < 1 || !strings.Contains(last.Error, "connect again later") {
		t.Errorf("the last message: %+v", last)
	}
	frames := 0
	for _, id := range l.memory.Streams() {
		frames += len(l.memory.Frames(id))
	}
	if int64(frames) < last.Durable+1 {
		t.Errorf("%d frames are recorded, %d are said to be durable", frames, last.Durable+1)
	}
}
