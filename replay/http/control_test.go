package replayhttp_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/slow"
	replayhttp "tapedeck/replay/http"
)

// steering is a client of a WebSocket that steers.
type steering struct {
	t    *testing.T
	conn *websocket.Conn
}

func steer(t *testing.T, client *http.Client, base, query string) *steering {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), address(base, query), &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &steering{t, conn}
}

func (s *steering) send(text string) {
	s.t.Helper()
	if err := s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *steering) next() event {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Hour)
	defer cancel()
	_, data, err := s.conn.Read(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return decode(s.t, string(data))
}

// ask sends a control and returns the answer; frames may come before it.
func (s *steering) ask(text string) event {
	s.t.Helper()
	s.send(text)
	for {
		if e := s.next(); e.CapturedAt == "" {
			return e
		}
	}
}

func TestSteering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := simple(10, 10*time.Second)
		all := positions(tape, nil)
		opts := replayhttp.Options{Library: tape, Heartbeat: 1000 * time.Hour} // nobody reads while this test sleeps
		s := steer(t, servePipe(t, opts), base, "")
		start := time.Now()
		since := func() time.Duration { return time.Since(start) }
		check := func(e event, state string, offset float64, position string, after time.Duration) {
			t.Helper()
			if e.Type != "state" || e.State != state || e.OffsetMS != offset || e.Position != position || since() != after {
				t.Errorf("after %s: got %+v, want %s at %v ms after %q at %s", since(), e, state, offset, position, after)
			}
		}
		if e := s.next(); e.Position != all[0] {
			t.Errorf("got %+v", e)
		}
		time.Sleep(4 * time.Second) // virtual time: the playback goes on
		check(s.ask(`{"op":"pause"}`), "paused", 4000, all[0], 4*time.Second)
		time.Sleep(time.Minute) // virtual time: the playback is paused
		check(s.ask(`{"op":"speed","value":2}`), "paused", 4000, all[0], 64*time.Second)
		check(s.ask(`{"op":"resume"}`), "playing", 4000, all[0], 64*time.Second)
		if e := s.next(); e.Position != all[1] || since() != 67*time.Second {
			t.Errorf("after %s got %+v", since(), e)
		}
		if e := s.ask(`{"op":"step","frames":2}`); e.Op != "step" || e.Speed != 2.0 || e.Frames != 4 {
			t.Errorf("got %+v", e)
		} else {
			check(e, "paused", 30000, all[3], 67*time.Second)
		}
		check(s.ask(`{"op":"seek","to":"+85s"}`), "paused", 85000, all[3], 67*time.Second)
		for _, wrong := range []string{
			`{"op":"rewind"}`, `{"op":"seek"}`, `{"op":"seek","to":"x"}`, `{"op":"seek","to":"type:none"}`, `{"op":"seek","to":7}`,
			`{"op":"speed"}`, `{"op":"speed","value":0}`, `{"op":"step","frames":-10001}`, `{"op":"step","frames":0}`, `pause`, ``,
		} {
			if e := s.ask(wrong); e.Type != "error" || e.Status != 400 || e.Detail == "" {
				t.Errorf("%s was answered by %+v", wrong, e)
			}
		}
		if err := s.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"op":"pause"}`)); err != nil {
			t.Fatal(err)
		}
		if e := s.next(); e.Type != "error" {
			t.Errorf("a binary control was answered by %+v", e)
		}
		// Stepped over the end it waits there, and goes on from elsewhere.
		s.ask(`{"op":"step","frames":99}`)
		time.Sleep(time.Hour) // virtual time: the playback has ended
		check(s.ask(`{"op":"pause"}`), "ended", 90000, all[9], 67*time.Second+time.Hour)
		check(s.ask(`{"op":"seek","to":"`+all[9]+`"}`), "paused", 90000, all[9], 67*time.Second+time.Hour)
		check(s.ask(`{"op":"speed","value":"max"}`), "paused", 90000, all[9], 67*time.Second+time.Hour)
		check(s.ask(`{"op":"resume"}`), "playing", 90000, all[9], 67*time.Second+time.Hour)
		if e := s.next(); e.Position != all[9] {
			t.Errorf("got %+v", e)
		}
		if e := s.next(); e.Type != "end" || e.Frames != 6 {
			t.Errorf("got %+v", e)
		}
		if _, _, err := s.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("closed with %v", err)
		}
		if tape.Open() != 0 {
			t.Errorf("%d readers are still open", tape.Open())
		}
	})
}

// A client that leaves, in words or without, frees its place at once; one whose
// machine vanished does so when it does not answer a ping.
func TestSocketClientLeaves(t *testing.T) {
	for name, leave := range map[string]func(*steering){
		"closes":   func(s *steering) { s.conn.Close(websocket.StatusNormalClosure, "") },
		"drops":    func(s *steering) { s.conn.CloseNow() },
		"vanishes": func(*steering) { time.Sleep(21 * time.Second) }, // no Read, so no pong
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tape := simple(2, time.Hour)
				client := servePipe(t, replayhttp.Options{Library: tape, WriteTimeout: slow.NewTimeout(5 * time.Second)})
				s := steer(t, client, base, "")
				s.next()
				leave(s)
				synctest.Wait()
				if tape.Open() != 0 {
					t.Errorf("%d readers are still open", tape.Open())
				}
			})
		})
	}
}

func TestOrigins(t *testing.T) {
	for _, tc := range []struct {
		origin  string
		allowed []string
		status  int
	}{
		{"", nil, 101},
		{"same", nil, 101},
		{"http://localhost:3000", nil, 101},
		{"http://127.0.0.1:5173", nil, 101},
		{"http://[::1]:8080", nil, 101},
		{"https://evil.example", nil, 403},
		{"http://localhost.evil.example", nil, 403},
		{"null", nil, 403},
		{"https://ui.example", []string{"https://ui.example"}, 101},
		{"https://evil.example", []string{"https://ui.example"}, 403},
		{"https://UI.example", []string{"https://ui.example"}, 101},
		{"http://localhost:3000", []string{"https://ui.example"}, 101},
		{"null", []string{"https://ui.example"}, 403},
	} {
		srv := serve(t, replayhttp.Options{Library: simple(1, 0), Origins: tc.allowed})
		if tc.origin == "same" {
			tc.origin = srv.URL
		}
		h := http.Header{}
		if tc.origin != "" {
			h.Set("Origin", tc.origin)
		}
		if p := playSocket(t, srv.Client(), address(srv.URL, "speed=max"), h); p.status != tc.status {
			t.Errorf("%q with %q: got %d %s", tc.origin, tc.allowed, p.status, p.body)
		}
	}
}

// A server that is stopped says so.
func TestSocketServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		client := servePipe(t, replayhttp.Options{Library: simple(2, time.Hour)}, ctx)
		s := steer(t, client, base, "")
		s.next()
		stop()
		if _, _, err := s.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("closed with %v", err)
		}
	})
}
