package ingest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/schema"
)

// A request may be the only frame for longer than frames are buffered. When the answer
// shows the dialect, its decoder reads the request as well.
func TestDialectShowsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Transport: schema.WebSocket, Session: "s"})
		began := time.Now().UnixNano()
		say := func(way schema.Direction, text string) {
			f := &schema.Frame{Transport: schema.WebSocket, Direction: way, Raw: []byte(text), At: time.Now().UnixNano()}
			if err := s.Record(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		say(schema.Send, `{"type":"run","id":"q","message":"hello"}`)
		time.Sleep(time.Second) // virtual time: longer than DetectFor
		if n := len(mem.Blocks()); n != 1 {
			t.Fatalf("%d blocks came while the dialect was not known, want the request's", n)
		}
		if d := s.Settled().Dialect; d != "" {
			t.Errorf("the dialect is settled as %q before it showed", d)
		}
		say(schema.Receive, "starting up")
		say(schema.Receive, `{"type":"run_stream_event","id":"run-1","event":{"session_id":"run-1","node_id":"n","event_id":1,"type":"node_enter","id":"think"}}`)
		say(schema.Receive, `{"type":"run_end","id":"run-1","reply":"hi"}`)
		if d := s.Settled().Dialect; d != "loom" {
			t.Errorf("the dialect is settled as %q", d)
		}
		sum, err := s.Close(t.Context(), "eof")
		if err != nil {
			t.Fatal(err)
		}
		mem.Wait()
		if sum.Dialect != "loom" || sum.Evidence != "frame 3: a run_stream_event" {
			t.Errorf("recognised as %s, %q", sum.Dialect, sum.Evidence)
		}
		var run schema.Span
		var said []string
		for _, b := range mem.Blocks() {
			for _, span := range b.Facts.Spans {
				if span.Kind == schema.SpanRun && span.Version >= run.Version {
					run = span
				}
			}
			for _, m := range b.Facts.Messages {
				said = append(said, string(m.Kind)+" "+m.Text)
			}
		}
		if run.Started != began || run.Status != schema.StatusOK {
			t.Errorf("the run began %v after its request and is %s", time.Duration(run.Started-began), run.Status)
		}
		if len(said) != 2 || said[0] != "user hello" || said[1] != "reply hi" {
			t.Errorf("messages %q", said)
		}
		last := mem.Blocks()[len(mem.Blocks())-1]
		if last.State.Dialect != "loom" {
			t.Errorf("the stream's state says %q", last.State.Dialect)
		}
		var types []string
		for _, f := range mem.Frames(sum.StreamID) {
			types = append(types, f.Type)
		}
		if len(types) != 4 || types[0] != "run" || types[3] != "run_end" {
			t.Errorf("frames %q", types)
		}
	})
}

// What never shows stays generic, and nothing of it is kept for ever.
func TestDialectNeverShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{DetectFrames: 10}, ingest.StreamOptions{})
		for i := range 100 {
			if err := s.Record(t.Context(), line1("text", int64(i))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond) // virtual time: the gap between two frames
		}
		if d := s.Settled().Dialect; d != "generic" {
			t.Errorf("the dialect is settled as %q", d)
		}
		sum, err := s.Close(t.Context(), "eof")
		if err != nil || sum.Frames != 100 || len(mem.Frames(sum.StreamID)) != 100 {
			t.Errorf("%+v, %v", sum, err)
		}
		mem.Wait()
	})
}
