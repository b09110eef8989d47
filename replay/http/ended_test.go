package replayhttp_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	replayhttp "tapedeck/replay/http"
	"tapedeck/schema"
)

// A client that has had event: end, and comes back as an EventSource does, has
// had everything and is sent 204. One that has had the last frame alone is sent
// the end.
func TestComesBackAfterTheEnd(t *testing.T) {
	tape := simple(6, time.Millisecond)
	srv := serve(t, replayhttp.Options{Library: tape, Live: tape})
	all := positions(tape, nil)
	for _, tc := range []struct {
		query, id string
		status    int
		frames    int
		end       string // the id of event: end
	}{
		{"speed=max", "", 200, 6, all[5] + ".end"},
		{"speed=max", all[5], 200, 0, all[5] + ".end"},
		{"speed=max", all[5] + ".end", 204, 0, ""},
		{"speed=max", all[3] + ".end", 200, 2, all[5] + ".end"}, // a part of it, or more was recorded since
		{"speed=max&to=" + all[3], all[3] + ".end", 204, 0, ""},
		{"speed=max&to=" + all[3], all[2], 200, 1, all[3] + ".end"},
		{"speed=max&type=a", all[3] + ".end", 204, 0, ""}, // all[3] is the last a
		{"speed=max&type=a", all[2] + ".end", 200, 1, all[3] + ".end"},
		{"speed=max&type=none", "", 200, 0, "end"},
		{"speed=max&type=none", "end", 204, 0, ""},
		{"speed=max&marker=type:c", "", 200, 3, all[2] + ".end"},
		{"speed=max&marker=type:c", all[2] + ".end", 200, 3, all[5] + ".end"},
		{"speed=max&follow=1", all[5] + ".end", 204, 0, ""},
	} {
		p := play(t, srv.Client(), srv.URL, schema.SSE, tc.query, "Last-Event-ID", tc.id)
		if p.status != tc.status {
			t.Errorf("%s after %q: status %d, want %d: %s", tc.query, tc.id, p.status, tc.status, p.body)
			continue
		}
		if tc.status == http.StatusNoContent {
			if p.body != "" {
				t.Errorf("%s after %q: 204 with %q", tc.query, tc.id, p.body)
			}
			continue
		}
		got, _ := p.frames(t)
		end := p.messages[len(p.messages)-1]
		if len(got) != tc.frames || end.event != "end" || end.id != tc.end || strings.Count(p.body, "\nretry: 1000\n") != 1 {
			t.Errorf("%s after %q: %d frames, then %+v, want %d and id %q:\n%s", tc.query, tc.id, len(got), end, tc.frames, tc.end, p.body)
		}
	}
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "last_event_id="+url.QueryEscape(all[5]+".end")); p.status != 204 {
		t.Errorf("with the id in the query: %d", p.status)
	}
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "", "Last-Event-ID", "x.end"); p.status != 400 {
		t.Errorf("an id that is none: %d", p.status)
	}
	if p := play(t, srv.Client(), srv.URL, schema.WebSocket, "last_event_id="+all[5]+".end"); p.status != 101 || len(p.messages) != 1 {
		t.Errorf("on a WebSocket: %d, %+v", p.status, p.messages)
	}
}

// A session that still runs is played as far as it has come; who comes back after
// the end has what came since, or 204.
func TestComesBackToARunningSession(t *testing.T) {
	tape := simple(3, time.Millisecond)
	tape.Running = true
	srv := serve(t, replayhttp.Options{Library: tape})
	all := positions(tape, nil)
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "speed=max", "Last-Event-ID", all[2]+".end"); p.status != 204 {
		t.Errorf("nothing came since: %d %s", p.status, p.body)
	}
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "speed=max", "Last-Event-ID", all[1]+".end"); p.status != 200 {
		t.Errorf("a frame came since: %d %s", p.status, p.body)
	}
}
