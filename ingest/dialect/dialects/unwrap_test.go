package dialects

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/ingest/dialect/loom"
	"tapedeck/schema"
)

// bare is a run of Loom without an envelope.
var bare = []string{
	`{"type":"node_enter","id":"think"}`,
	`{"type":"message_chunk","content":"Hello ","id":"think"}`,
	`{"type":"message_chunk","content":"world","id":"think"}`,
	`{"type":"node_exit","id":"think","result":"Ok"}`,
	`{"reply":"Hello world","stop_reason":"end_turn"}`,
}

func wrapped(t *testing.T, cover string) []schema.Frame {
	var frames []schema.Frame
	say := func(text string) {
		n := uint64(len(frames))
		frames = append(frames, schema.Frame{
			Seq: n, At: dialecttest.Start + int64(n)*1e6, Transport: schema.WebSocket, Raw: []byte(text),
		})
	}
	for i, line := range bare {
		quoted, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		switch cover {
		case "":
			say(line)
		case "a string":
			say(fmt.Sprintf(`{"channel":"c","session_id":"outer","data":%s}`, quoted))
		default:
			say(fmt.Sprintf(`{"channel":"c","session_id":"outer","id":%d,"%s":%s}`, i, cover, line))
		}
	}
	return frames
}

func TestUnwrap(t *testing.T) {
	plain, err := dialecttest.Play(loom.Dialect, wrapped(t, ""), dialecttest.Start+1e9, func(int) (bool, bool) { return true, false })
	if err != nil {
		t.Fatal(err)
	}
	for _, cover := range []string{"event", "data", "payload", "a string"} {
		t.Run(cover, func(t *testing.T) {
			frames := wrapped(t, cover)
			r := NewRecogniser()
			for i := range frames {
				if r.Observe(input(string(frames[i].Raw))) {
					break
				}
			}
			d, evidence := r.Settle()
			if d.Name != "loom" {
				t.Fatalf("recognised as %s: %s", d.Name, evidence)
			}
			o, err := dialecttest.Play(d, frames, dialecttest.Start+1e9, func(int) (bool, bool) { return true, false })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain.Facts, o.Facts); diff != "" {
				t.Errorf("facts (-bare +wrapped):\n%s", diff)
			}
			for _, f := range o.Frames {
				if f.Session != "outer" {
					t.Errorf("frame %d is of session %q", f.Seq, f.Session)
				}
			}
		})
	}
}

// A gateway's own messages between wrapped ones are frames without facts.
func TestUnwrapLeavesTheGatewaysOwn(t *testing.T) {
	frames := wrapped(t, "data")
	own := frames[0]
	own.Raw = []byte(`{"type":"ping","session_id":"outer"}`)
	frames = append(frames[:2:2], append([]schema.Frame{own}, frames[2:]...)...)
	for i := range frames {
		frames[i].Seq = uint64(i)
		frames[i].At = dialecttest.Start + int64(i)*1e6
	}
	d, err := ByName("loom")
	if err != nil {
		t.Fatal(err)
	}
	o, err := dialecttest.Play(d, frames, dialecttest.Start+1e9, func(int) (bool, bool) { return true, false })
	if err != nil {
		t.Fatal(err)
	}
	if o.Frames[2].Type != "ping" || o.Frames[2].Session != "outer" {
		t.Errorf("the gateway's frame is %+v", o.Frames[2].Envelope)
	}
	text := ""
	for _, m := range o.Facts.Messages {
		if m.Kind == schema.MessageAssistant {
			text = m.Text
		}
	}
	if text != "Hello world" {
		t.Errorf("the text is %q", text)
	}
}

func FuzzUnwrap(f *testing.F) {
	dialecttest.Fuzz(f, unwrapping(loom.Dialect), "../loom/testdata/cases")
}
