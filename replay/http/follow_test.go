package replayhttp_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// running returns a session of eight frames, one in a second, of which five have come.
func running() *replaytest.Growing {
	return &replaytest.Growing{Memory: simple(8, time.Second), Begin: time.Now().Add(-4500 * time.Millisecond)}
}

// A running session is followed to its end, over every transport, and resumed.
func TestFollowsLive(t *testing.T) {
	for _, over := range transports {
		t.Run(over.String(), func(t *testing.T) {
			tape := running()
			all := positions(tape.Memory, nil)
			srv := serve(t, replayhttp.Options{Library: tape.Memory, Live: tape})
			begin := time.Now()
			got, last := play(t, srv.Client(), srv.URL, over, "follow=1&speed=max").frames(t)
			if took := time.Since(begin); !slices.Equal(got, all) || last.Type != "end" || took < time.Second {
				t.Errorf("got %q and %+v after %s", got, last, took)
			}
			tape.Begin = time.Now().Add(-6100 * time.Millisecond)
			got, last = play(t, srv.Client(), srv.URL, over, "follow=1&type=a", "Last-Event-ID", all[3]).frames(t)
			if want := []string{all[6]}; !slices.Equal(got, want) || last.Type != "end" {
				t.Errorf("resumed: got %q and %+v, want %q", got, last, want)
			}
			tape.Begin = time.Now().Add(-6100 * time.Millisecond)
			if got, _ := play(t, srv.Client(), srv.URL, over, "follow=1&from=live").frames(t); !slices.Equal(got, all[7:]) {
				t.Errorf("from now on: got %q", got)
			}
		})
	}
}

// The client of a WebSocket is notified when it has caught up, and steers through
// what is and what comes.
func TestSteersLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := running()
		all := positions(tape.Memory, nil)
		opts := replayhttp.Options{Library: tape.Memory, Live: tape, Heartbeat: 1000 * time.Hour}
		s := steer(t, servePipe(t, opts), base, "follow=1&speed=10")
		for _, want := range all[:5] {
			if e := s.next(); e.Position != want {
				t.Fatalf("got %+v, want %s", e, want)
			}
		}
		state := func(e event, op, position string, live bool, behind float64) {
			t.Helper()
			if e.Type != "state" || e.Op != op || e.Position != position || e.Live == nil || *e.Live != live || e.BehindMS != behind {
				t.Errorf("got %+v, want %s after %s, live %v, %v ms behind", e, op, position, live, behind)
			}
		}
		state(s.next(), "live", all[4], true, 0)
		if e := s.next(); e.Position != all[5] {
			t.Errorf("got %+v", e)
		}
		state(s.ask(`{"op":"pause"}`), "pause", all[5], false, 0)
		if e := s.ask(`{"op":"state"}`); e.DurationMS != 5000 || e.AsOfMS != 5000 {
			t.Errorf("got %+v, want all known until 5 s, which is the latest frame", e)
		}
		time.Sleep(600 * time.Millisecond) // virtual time: the session is silent
		if e := s.ask(`{"op":"state"}`); e.DurationMS != 5000 || e.AsOfMS != 5600 {
			t.Errorf("got %+v, want all known until 5.6 s", e)
		}
		time.Sleep(500 * time.Millisecond) // virtual time: the session is silent
		state(s.ask(`{"op":"seek","to":"+5s"}`), "seek", all[5], false, 1000)
		state(s.ask(`{"op":"live"}`), "live", all[5], true, 0)
		if e := s.next(); e.Position != all[7] {
			t.Errorf("got %+v", e)
		}
		if e := s.next(); e.Type != "end" {
			t.Errorf("got %+v", e)
		}
	})
}

// What is over, or not followed, has nothing live.
func TestNothingLive(t *testing.T) {
	tape := simple(3, time.Hour)
	srv := serve(t, replayhttp.Options{Library: tape, Live: tape})
	if e := steer(t, srv.Client(), srv.URL, "follow=1").ask(`{"op":"live"}`); e.Type != "error" || e.Detail == "" {
		t.Errorf("got %+v", e)
	}
}

// A frame that came live among others' names where to resume.
func TestResumeText(t *testing.T) {
	tape := running()
	all := positions(tape.Memory, nil)
	srv := serve(t, replayhttp.Options{Library: tape.Memory, Live: tape})
	tape.Begin = time.Now().Add(-time.Hour)
	for id, status := range map[string]int{
		all[3] + "~17": 200, all[3] + "~": 400, all[3] + "~0": 400, all[3] + "~x": 400, "live": 400, "type:a": 400,
	} {
		p := play(t, srv.Client(), srv.URL, schema.SSE, "follow=1&speed=max", "Last-Event-ID", id)
		if p.status != status || status == 200 && strings.Count(p.body, "data: {\"position") != 4 {
			t.Errorf("%s: got %d %s", id, p.status, p.body)
		}
	}
}
