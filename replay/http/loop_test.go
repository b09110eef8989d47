package replayhttp_test

import (
	"bufio"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	replayhttp "tapedeck/replay/http"
	"tapedeck/schema"
)

// A marker ends a playback that nobody steers; resumed, it goes on to the next.
func TestMarkerEnds(t *testing.T) {
	for _, over := range []schema.Transport{schema.SSE, schema.NDJSON} {
		tape := simple(8, time.Second)
		srv, all := serve(t, replayhttp.Options{Library: tape}), positions(tape, nil)
		id, seen := "", []string(nil)
		for _, want := range []int{3, 3, 2} { // c is every third
			p := play(t, srv.Client(), srv.URL, over, "speed=max&marker=type:c", "Last-Event-ID", id)
			got, last := p.frames(t)
			if len(got) != want || last.Type != "end" || (last.Marker == "type:c") != (want == 3) {
				t.Errorf("%s: got %q, then %+v", over, got, last)
			}
			seen, id = append(seen, got...), last.Position
		}
		if !slices.Equal(seen, all) {
			t.Errorf("%s: got %q, want %q", over, seen, all)
		}
		p := play(t, srv.Client(), srv.URL, over, "speed=max&mode=raw&direction=receive&marker="+all[4])
		if over == schema.NDJSON && p.body != "{\"n\":0}\n{\"n\":2}\n{\"n\":4}\n" {
			t.Errorf("raw: got %q", p.body)
		}
	}
}

// A loop goes round, at its own pace, until the client leaves; resumed in the middle
// it goes back to where it began.
func TestLoops(t *testing.T) {
	for _, over := range []schema.Transport{schema.SSE, schema.NDJSON} {
		synctest.Test(t, func(t *testing.T) {
			tape := simple(10, time.Second)
			all := positions(tape, nil)
			client := servePipe(t, replayhttp.Options{Library: tape, Heartbeat: time.Hour})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(base, "loop=1&from=%2B2s&to=%2B4s"), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", map[schema.Transport]string{schema.SSE: "text/event-stream", schema.NDJSON: "application/x-ndjson"}[over])
			req.Header.Set("Last-Event-ID", all[3])
			start := time.Now()
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var got []string
			for lines := bufio.NewScanner(res.Body); len(got) < 7 && lines.Scan(); {
				text := lines.Text()
				if over == schema.SSE && len(text) > 6 && text[:6] == "data: " {
					text = text[6:]
				} else if over == schema.SSE {
					continue
				}
				got = append(got, decode(t, text).Position)
			}
			want := []string{all[4], all[2], all[3], all[4], all[2], all[3], all[4]}
			if took := time.Since(start); !slices.Equal(got, want) || took != 5*time.Second {
				t.Errorf("%s: got %q in %s", over, got, took)
			}
		})
	}
}

// What a client of a WebSocket sets while it plays, and what it receives of it.
func TestSteersMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := simple(6, 10*time.Second)
		all := positions(tape, nil)
		s := steer(t, servePipe(t, replayhttp.Options{Library: tape, Heartbeat: 1000 * time.Hour}), base, "hold=1&idle_limit=4s")
		frame := func(i int) {
			t.Helper()
			if e := s.next(); e.Position != all[i] || e.CapturedAt == "" {
				t.Errorf("got %+v, want frame %d", e, i)
			}
		}
		state := func(e event, op, state string, after int, offset float64) {
			t.Helper()
			if e.Type != "state" || e.Op != op || e.State != state || e.Paused != (state != "playing") || e.OffsetMS != offset ||
				after >= 0 && e.Position != all[after] || after < 0 && e.Position != "" || e.DurationMS != 50_000 {
				t.Errorf("got %+v, want %s: %s at %v ms after frame %d", e, op, state, offset, after)
			}
		}
		frame(0)
		e := s.ask(`{"op":"state"}`)
		if state(e, "state", "playing", 0, 0); e.IdleMS != 4000 || e.Looping || e.Marker != "" || e.Live == nil || *e.Live {
			t.Errorf("got %+v", e)
		}
		e = s.ask(`{"op":"marker","value":"type:b"}`)
		if state(e, "marker", "playing", 0, 0); e.Marker != "type:b" {
			t.Errorf("got %+v", e)
		}
		frame(1)
		state(s.next(), "marker", "paused", 1, 10_000)
		state(s.ask(`{"op":"marker","value":null}`), "marker", "paused", 1, 10_000)
		state(s.ask(`{"op":"step","frames":-1}`), "step", "paused", 0, 0)
		state(s.ask(`{"op":"step","frames":-1}`), "step", "paused", -1, 0)
		e = s.ask(`{"op":"idle_limit","value":"1s"}`)
		if state(e, "idle_limit", "paused", -1, 0); e.IdleMS != 1000 {
			t.Errorf("got %+v", e)
		}
		e = s.ask(`{"op":"idle_limit","value":null}`)
		if state(e, "idle_limit", "paused", -1, 0); e.IdleMS != 0 {
			t.Errorf("got %+v", e)
		}
		state(s.ask(`{"op":"speed","value":100}`), "speed", "paused", -1, 0)
		e = s.ask(`{"op":"loop"}`)
		if state(e, "loop", "paused", -1, 0); !e.Looping {
			t.Errorf("got %+v", e)
		}
		state(s.ask(`{"op":"resume"}`), "resume", "playing", -1, 0)
		for i := range 6 {
			frame(i)
		}
		state(s.next(), "loop", "playing", 5, 0)
		frame(0)
		e = s.ask(`{"op":"loop","value":false}`)
		if state(e, "loop", "playing", 0, 0); e.Looping {
			t.Errorf("got %+v", e)
		}
		for i := range 5 {
			frame(i + 1)
		}
		state(s.next(), "end", "ended", 5, 50_000)
		for _, wrong := range []string{
			`{"op":"loop","value":1}`, `{"op":"loop","value":null}`, `{"op":"marker"}`, `{"op":"marker","value":"+5s"}`,
			`{"op":"marker","value":"live"}`, `{"op":"marker","value":""}`, `{"op":"idle_limit","value":2}`,
			`{"op":"idle_limit","value":"-2s"}`, `{"op":"idle_limit"}`, `{"op":"end"}`,
		} {
			if e := s.ask(wrong); e.Type != "error" || e.Status != 400 || e.Detail == "" || len(e.Allowed) == 0 {
				t.Errorf("%s was answered by %+v", wrong, e)
			}
		}
		s.conn.Close(websocket.StatusNormalClosure, "")
	})
}

// What would be ignored, or is invalid, is refused.
func TestRefusesSettings(t *testing.T) {
	srv := serve(t, replayhttp.Options{Library: simple(3, time.Second)})
	for query, parameter := range map[string]string{
		"hold=1": "hold", "hold=yes": "hold", "loop=2": "loop", "marker=+2s": "marker", "marker=live": "marker", "marker=type:": "marker",
		"marker=1.019b7d3c-ffff-7000-8000-000000000000.0": "marker",
	} {
		p := play(t, srv.Client(), srv.URL, schema.SSE, query)
		if e := decode(t, p.body); p.status != 400 || e.Parameter != parameter || len(e.Allowed) == 0 {
			t.Errorf("%s: got %d %s", query, p.status, p.body)
		}
	}
}
