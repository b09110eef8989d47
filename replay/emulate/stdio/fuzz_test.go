package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// FuzzServe plays any recording to any client. A recorded line that begins with ">" is of the client.
// The play ends with the input, and what the client receives are recorded lines or JSON.
func FuzzServe(f *testing.F) {
	for _, script := range []string{prompted, cancelled} {
		var recorded, client strings.Builder
		for text := range strings.Lines(script) {
			if _, line, ok := strings.Cut(strings.TrimSpace(text), " "); ok {
				line = strings.ReplaceAll(line, "{.", `{"jsonrpc":"2.0",`)
				recorded.WriteString(line + "\n")
				if sent, ok := strings.CutPrefix(line, "> "); ok {
					client.WriteString(sent + "\n")
				}
			}
		}
		f.Add([]byte(recorded.String()), []byte(client.String()))
	}
	f.Add([]byte("> {\"id\":1,\"method\":\"a\"}\n< [{\"id\":1,\"result\":{}},1]\nx\n"), []byte("[{\"id\":2,\"method\":\"a\"}]\n{\"id\":2"))
	f.Fuzz(func(t *testing.T, recorded, client []byte) {
		tape := &replaytest.Tape{}
		s := tape.Stream(schema.NDJSON, "")
		s.Add(0, "\n")
		for line := range bytes.Lines(recorded) {
			text, sent := bytes.CutPrefix(line, []byte("> "))
			text = bytes.TrimPrefix(text, []byte("< "))
			s.Add(time.Millisecond, string(text), func(f *schema.Frame) {
				if sent {
					f.Direction = schema.Send
				}
			})
		}
		rec, err := Read(t.Context(), tape, replaytest.Session)
		if errors.Is(err, ErrOneWay) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		opts := Options{Pacing: emulate.Pacing{Speed: player.Max}, Log: slog.New(slog.DiscardHandler)}
		if exit, err := rec.Serve(t.Context(), bytes.NewReader(client), &out, opts); exit != 0 || err != nil {
			t.Fatalf("exit code %d, %v", exit, err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) && !bytes.Contains(recorded, bytes.TrimSuffix(line, []byte("\n"))) {
				t.Errorf("the client received %q, which is neither JSON nor recorded", line)
			}
		}
	})
}
