package replayhttp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Frames that come faster than a screen draws are announced sixty times a second,
// each once, and never later than that.
func TestCues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := simple(2000, time.Millisecond)
		all := positions(tape, nil)
		client := servePipe(t, replayhttp.Options{Library: tape})
		start := time.Now()
		s := steer(t, client, base, "mode=cue")
		frames, before := 0, time.Duration(-1<<62)
		var e event
		for e = s.next(); e.Type == "cue"; e = s.next() {
			since := time.Since(start)
			frames += e.Frames
			if e.Position != all[frames-1] || e.OffsetMS != float64(frames-1) {
				t.Fatalf("after %d frames got %+v", frames, e)
			}
			if late := since - time.Duration(e.OffsetMS)*time.Millisecond; late < 0 || late > time.Second/60 {
				t.Fatalf("%+v came %s after its frame was due", e, late)
			}
			if since-before < time.Second/60 && frames < 2000 {
				t.Fatalf("a cue after %s, the next after %s", before, since)
			}
			before = since
		}
		if e.Type != "end" || frames != 2000 || e.Frames != 2000 {
			t.Errorf("after %d frames got %+v", frames, e)
		}
		if _, _, err := s.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("closed with %v", err)
		}
	})
}

// Frames of one instant are one cue, and a frame after a silence has its cue at once.
func TestCuesOfSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		stream := tape.Stream(schema.NDJSON, "loom")
		for _, at := range []time.Duration{0, 0, 0, time.Second, time.Second + time.Millisecond, time.Minute} {
			stream.Add(at, "{}\n")
		}
		all := positions(tape, nil)
		start := time.Now()
		s := steer(t, servePipe(t, replayhttp.Options{Library: tape, Heartbeat: time.Hour}), base, "mode=cue&hold=1")
		for _, want := range []struct {
			frames, last int
			after        time.Duration
		}{{3, 2, 0}, {1, 3, time.Second}, {1, 4, time.Second + time.Second/60}, {1, 5, time.Minute}} {
			e := s.next()
			if since := time.Since(start); e.Type != "cue" || e.Frames != want.frames || e.Position != all[want.last] || since != want.after {
				t.Errorf("after %s got %+v, want %+v", since, e, want)
			}
		}
		if e := s.next(); e.Op != "end" || e.State != "ended" {
			t.Errorf("got %+v", e)
		}
	})
}

// What was played before a control was obeyed is announced before its answer, and
// nothing of it after.
func TestCuesAndControls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := simple(1000, time.Millisecond)
		all := positions(tape, nil)
		s := steer(t, servePipe(t, replayhttp.Options{Library: tape, Heartbeat: time.Hour}), base, "mode=cue&hold=1")
		frames := 0
		until := func(op string) event {
			t.Helper()
			for {
				switch e := s.next(); {
				case e.Type == "cue":
					frames += e.Frames
				case e.Op == op:
					return e
				default:
					t.Fatalf("got %+v", e)
				}
			}
		}
		go func() {
			time.Sleep(105500 * time.Microsecond) // virtual time: when the control is sent
			s.send(`{"op":"pause"}`)
		}()
		if e := until("pause"); e.Frames != frames || frames != 106 || e.Position != all[105] {
			t.Errorf("after cues of %d frames got %+v", frames, e)
		}
		frames = 0
		s.send(`{"op":"seek","to":"+500ms"}`)
		if e := until("seek"); frames != 0 || e.OffsetMS != 500 {
			t.Errorf("after cues of %d frames got %+v", frames, e)
		}
		s.send(`{"op":"step","frames":10}`)
		if e := until("step"); frames != 10 || e.Position != all[509] {
			t.Errorf("after cues of %d frames got %+v", frames, e)
		}
	})
}

// At full speed, where the player never waits, and with a filter.
func TestCuesAtFullSpeed(t *testing.T) {
	srv := serve(t, replayhttp.Options{Library: simple(20_000, time.Millisecond)})
	p := play(t, srv.Client(), srv.URL, schema.WebSocket, "mode=cue&speed=max&type=a")
	frames := 0
	for _, m := range p.messages[:len(p.messages)-1] {
		e := decode(t, m.data)
		if frames += e.Frames; e.Type != "cue" {
			t.Errorf("got %+v", e)
		}
	}
	if end := decode(t, p.messages[len(p.messages)-1].data); frames != 6667 || end.Type != "end" || end.Frames != 6667 {
		t.Errorf("after cues of %d frames got %+v", frames, end)
	}
}

// Over a body nobody could steer.
func TestCuesNeedAWebSocket(t *testing.T) {
	srv := serve(t, replayhttp.Options{Library: simple(1, 0)})
	for _, over := range []schema.Transport{schema.SSE, schema.NDJSON} {
		p := play(t, srv.Client(), srv.URL, over, "mode=cue")
		if e := decode(t, p.body); p.status != http.StatusBadRequest || e.Parameter != "mode" {
			t.Errorf("%s: %d %s", over, p.status, p.body)
		}
	}
}
