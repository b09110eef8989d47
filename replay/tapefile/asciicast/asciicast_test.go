package asciicast

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// cast reads what was written: its text in all, and the time of each event.
func read(t *testing.T, written []byte) (text string, times []float64) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(written), []byte("\n"))
	var head struct{ Version, Width, Height, Timestamp int64 }
	if err := json.Unmarshal(lines[0], &head); err != nil || head.Version != 2 || head.Width == 0 || head.Height == 0 || head.Timestamp != replaytest.Start/1e9 {
		t.Fatalf("head %s: %v", lines[0], err)
	}
	for _, line := range lines[1:] {
		var e []any
		if err := json.Unmarshal(line, &e); err != nil || len(e) != 3 || e[1] != "o" {
			t.Fatalf("event %s: %v", line, err)
		}
		times = append(times, e[0].(float64))
		text += e[2].(string)
	}
	return text, times
}

func TestMessages(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "loom").Add(0, "{}\n").Add(3*time.Second, "{}\n")
	at := func(s float64) int64 { return replaytest.Start + int64(s*1e9) }
	messages := []schema.Message{
		{Kind: schema.MessageAssistant, Text: "hellö\nthere!", Started: at(1), Ended: at(2.5), ChunkAt: []int64{at(1), at(1.5), at(2)}, ChunkEnd: []uint32{2, 5, 12}},
		{Kind: schema.MessageUser, Text: "\x1b[2Jhi", Started: at(0)},
		{Kind: schema.MessageReply, Text: "hellö\nthere!", Started: at(2.9)},
	}
	var out bytes.Buffer
	if err := Write(t.Context(), &out, tape, "title", messages); err != nil {
		t.Fatal(err)
	}
	text, times := read(t, out.Bytes())
	if !strings.Contains(text, `\u001b[2Jhi`) || !strings.Contains(text, "hellö\r\nthere!") || strings.Count(text, "hell") != 1 {
		t.Errorf("the text is %q", text)
	}
	// The second piece ends inside a letter: it comes with the third.
	want := []float64{0, 1, 2, 2.5, 2.5}
	if len(times) != len(want) {
		t.Fatalf("times %v, want %v", times, want)
	}
	for i := range want {
		if times[i] != want[i] {
			t.Errorf("times %v, want %v", times, want)
			break
		}
	}
}

func TestFrames(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.SSE, "generic").
		Add(0, ": comment\n\n", func(f *schema.Frame) { f.Flags = schema.FlagNote }).
		Add(time.Second, "data: one\n\n").
		Add(2*time.Second, "data: a\ndata: b\n\n")
	var out bytes.Buffer
	if err := Write(t.Context(), &out, tape, "title", nil); err != nil {
		t.Fatal(err)
	}
	if text, times := read(t, out.Bytes()); text != "one\r\na\r\nb\r\n" || len(times) != 2 || times[0] != 1 {
		t.Errorf("%q at %v", text, times)
	}
}
