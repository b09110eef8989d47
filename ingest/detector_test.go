package ingest

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest/dialect/generic"
	"tapedeck/schema"
)

// received is the stage after a detector: it lists the calls.
type received struct{ calls []string }

func (r *received) setDialect(name, _ string) { r.calls = append(r.calls, "dialect "+name) }
func (r *received) setSession(named string)   { r.calls = append(r.calls, "session "+named) }
func (r *received) add(f *schema.Frame, _ uint64) {
	r.calls = append(r.calls, fmt.Sprintf("frame %d %s", f.Seq, f.Type))
}

const testStream = "019b7000-0000-7000-8000-000000000001"

// detect makes a detector, and a function that pushes a message.
func detect(set Settings, named bool) (*detector, *received, func(text string)) {
	set = set.withDefaults()
	out, dec, seq := &received{}, newDecoder(testStream, 0), uint64(0)
	d := &detector{settings: &set, decoder: &dec, next: out, wake: &wakeup{ended: true}}
	d.start(named)
	return d, out, func(text string) {
		d.push(&schema.Frame{Seq: seq, At: int64(seq), Raw: []byte(text + "\n")})
		seq++
	}
}

const (
	loomEnter = `{"session_id":"s","node_id":"n","event_id":1,"type":"node_enter","id":"think"}`
	loomText  = `{"session_id":"s","node_id":"n","event_id":2,"type":"message_chunk","content":"x","id":"think"}`
)

func TestDetectorBuffersUntilAllIsKnown(t *testing.T) {
	d, out, push := detect(Settings{}, false)
	push("starting")
	push(`{"level":"info"}`)
	if len(out.calls) != 0 || d.state != sniffing || len(d.frames) != 2 {
		t.Fatalf("in state %d it buffers %d frames and called %q", d.state, len(d.frames), out.calls)
	}
	push(loomEnter)
	push(loomText)
	want := []string{"dialect loom", "session s", "frame 0 ", "frame 1 ", "frame 2 node_enter", "frame 3 message_chunk"}
	if !slices.Equal(out.calls, want) || d.state != settled || d.frames != nil {
		t.Errorf("in state %d it called %q, want %q", d.state, out.calls, want)
	}
}

func TestDetectorWithNothingToDetect(t *testing.T) {
	set := Settings{}.withDefaults()
	out, dec := &received{}, newDecoder(testStream, 0)
	dec.use(generic.Dialect)
	d := &detector{settings: &set, decoder: &dec, next: out, wake: &wakeup{ended: true}}
	d.start(true)
	d.push(&schema.Frame{Raw: []byte("{}\n")})
	if want := []string{"frame 0 "}; !slices.Equal(out.calls, want) {
		t.Errorf("it called %q, want %q", out.calls, want)
	}
}

// Each of the bounds ends the sniffing: the stream goes on as generic, and the dialect is
// detected late.
func TestDetectorBounds(t *testing.T) {
	for name, set := range map[string]Settings{
		"frames": {DetectFrames: 3},
		"bytes":  {DetectBytes: 3 * len("text\n")},
		"time":   {DetectFor: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, out, push := detect(set, true)
				for range 3 {
					push("text")
					time.Sleep(50 * time.Millisecond) // virtual time: the gap between two frames
				}
				want := []string{"dialect generic", "frame 0 ", "frame 1 ", "frame 2 "}
				if !slices.Equal(out.calls, want) || d.state != provisional {
					t.Fatalf("in state %d it called %q, want %q", d.state, out.calls, want)
				}
				out.calls = nil
				push(loomEnter)
				push(loomText)
				want = []string{"dialect loom", "frame 3 node_enter", "frame 4 message_chunk"}
				if !slices.Equal(out.calls, want) || d.state != settled || d.frames != nil {
					t.Errorf("in state %d it called %q, want %q", d.state, out.calls, want)
				}
			})
		})
	}
}

// The decoder of a dialect that was detected late reads all frames, so facts of the first
// ones exist.
func TestDetectorRepeatsFramesToTheLateDialect(t *testing.T) {
	d, _, push := detect(Settings{DetectFrames: 1}, true)
	push(`{"type":"run","id":"q","message":"hello"}`)
	push(`{"type":"run_stream_event","id":"run-1","event":{"session_id":"run-1","node_id":"n","event_id":1,"type":"node_enter","id":"think"}}`)
	facts, _ := d.decoder.emitter.Take(0, true)
	if len(facts.Messages) != 1 || facts.Messages[0].Text != "hello" {
		t.Errorf("messages %+v, want the request's", facts.Messages)
	}
}

// At the end of a stream there is no later frame: what was buffered is final.
func TestDetectorAtTheEnd(t *testing.T) {
	d, out, push := detect(Settings{}, false)
	push("text")
	d.release(true)
	if want := []string{"dialect generic", "frame 0 "}; !slices.Equal(out.calls, want) || d.state != settled {
		t.Errorf("in state %d it called %q, want %q", d.state, out.calls, want)
	}
}

// Each frame is reported once, with its envelope, before the next stage has it: buffered frames when
// they are decoded, and frames of a late dialect as they were decoded at first.
func TestDetectorReportsDecodedFrames(t *testing.T) {
	for name, tc := range map[string]struct {
		set   Settings
		texts []string
		want  []string
	}{
		"recognised": {Settings{}, []string{"starting", loomEnter, loomText},
			[]string{"dialect loom", "passed 0 ", "passed 1 node_enter", "session s", "frame 0 ", "frame 1 node_enter", "passed 2 message_chunk", "frame 2 message_chunk"}},
		"unknown": {Settings{}, []string{`{"type":"start"}`, `{"type":"done"}`},
			[]string{"dialect generic", "passed 0 start", "passed 1 done", "frame 0 start", "frame 1 done"}},
		"late": {Settings{DetectFrames: 1}, []string{"starting", loomEnter},
			[]string{"dialect generic", "passed 0 ", "frame 0 ", "dialect loom", "passed 1 node_enter", "frame 1 node_enter"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, out, push := detect(tc.set, name != "recognised")
			d.passed = func(f *schema.Frame) { out.calls = append(out.calls, fmt.Sprintf("passed %d %s", f.Seq, f.Type)) }
			for _, text := range tc.texts {
				push(text)
			}
			d.release(true)
			if !slices.Equal(out.calls, tc.want) {
				t.Errorf("it called %q, want %q", out.calls, tc.want)
			}
		})
	}
}
