package replay

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Somebody who follows a session that has not begun sees all of it while it
// runs, and the end.
func TestPlayFollow(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	cmd := s.Command(t, "play", "--follow", "--format", "ndjson", "followed-live")
	var out bytes.Buffer
	diag := &commandtest.LogBuffer{}
	cmd.Stdout, cmd.Stderr = &out, diag
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "somebody who waits for the session", func() bool { return strings.Contains(diag.String(), "waiting for session") })
	c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session=followed-live")
	var want strings.Builder
	for i := range 20 {
		frame := fmt.Sprintf(`{"n":%d}`, i)
		want.WriteString(frame + "\n")
		if err := c.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // frames come in several blocks while the command follows
	}
	c.Close(websocket.StatusNormalClosure, "")
	if err := bounded.Command(t, cmd); err != nil || out.String() != want.String() {
		t.Errorf("%v, got %q and %q, want %q", err, out.String(), diag.String(), want.String())
	}
}
