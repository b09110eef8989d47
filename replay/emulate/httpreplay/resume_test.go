package httpreplay_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// numbered adds events with ids, 10 ms apart, to an answer.
func numbered(s *replaytest.Stream, offset time.Duration, first, last int) *replaytest.Stream {
	for i := first; i <= last; i++ {
		s.Add(offset+time.Duration(i-first)*10*ms, fmt.Sprintf("id: %d\ndata: %d\n\n", i, i), et.Over(schema.SSE))
	}
	return s
}

// seen returns the data of a body's events.
func seen(body string) string {
	var list []string
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, strings.TrimSpace(data))
		}
	}
	return strings.Join(list, " ")
}

const broke = "error: the upstream cut the connection: reset"

// A client that names the id of its last event goes on after it; one that has had
// everything is sent 204.
func TestResume(t *testing.T) {
	tape := &replaytest.Tape{}
	sse := []string{"Content-Type: text/event-stream"}
	asked := func(at time.Duration, path string, fields ...string) *replaytest.Stream {
		return et.Head(et.Asked(tape, at, "GET "+path, fields, ""), at, "200 OK", sse...)
	}
	numbered(asked(0, "/whole"), 0, 0, 8)
	// The last event has no id, and comments follow.
	numbered(asked(time.Second, "/trailing"), time.Second, 0, 2).
		Add(1050*ms, "data: [DONE]\n\n", et.Over(schema.SSE)).Add(1060*ms, ": bye\n\n", et.Over(schema.SSE))
	// Two runs whose ids begin anew.
	numbered(asked(2*time.Second, "/runs"), 2*time.Second, 0, 3)
	asked(3*time.Second, "/runs").Add(3*time.Second, "id: 0\ndata: other 0\n\n", et.Over(schema.SSE)).
		Add(3*time.Second, "id: 1\ndata: other 1\n\n", et.Over(schema.SSE))
	// The recorded client was cut off after 1 and came back.
	numbered(asked(4*time.Second, "/cut"), 4*time.Second, 0, 1).Ended(broke)
	numbered(asked(5*time.Second, "/cut", "Last-Event-ID: 1"), 5*time.Second, 2, 5)
	// Only the second half was recorded.
	numbered(asked(6*time.Second, "/half", "Last-Event-ID: 3"), 6*time.Second, 4, 8)
	// Cut off, and asked again from the start.
	numbered(asked(7*time.Second, "/restart"), 7*time.Second, 0, 1).Ended(broke)
	asked(8*time.Second, "/restart").Add(8*time.Second, "id: 0\ndata: again 0\n\n", et.Over(schema.SSE))
	// Several events of one id, and events that have none.
	asked(9*time.Second, "/several").Add(9*time.Second, "id: a\ndata: 1\n\n", et.Over(schema.SSE)).
		Add(9*time.Second, "id: a\ndata: 2\n\n", et.Over(schema.SSE)).Add(9*time.Second, "data: 3\n\n", et.Over(schema.SSE)).
		Add(9*time.Second, "id: b\ndata: 4\n\n", et.Over(schema.SSE))
	base := et.Serve(t, handler(tape))
	for _, c := range []struct {
		path, take, last string
		status           int
		want             string
	}{
		{"/whole", "a", "", 200, "0 1 2 3 4 5 6 7 8"},
		{"/whole", "a", "6", 200, "7 8"},
		{"/whole", "a", "1", 200, "2 3 4 5 6 7 8"},
		{"/whole", "a", "8", 204, ""},
		{"/whole", "b", "8", 204, ""},
		{"/whole", "c", "unknown", 200, "0 1 2 3 4 5 6 7 8"},
		{"/trailing", "a", "2", 200, "[DONE]"}, // no client has received it
		{"/trailing", "a", "2", 204, ""},
		{"/trailing", "b", "", 200, "0 1 2 [DONE]"},
		{"/trailing", "b", "2", 204, ""},
		{"/trailing", "b", "1", 200, "2 [DONE]"},
		{"/runs", "a", "", 200, "0 1 2 3"},
		{"/runs", "a", "0", 200, "1 2 3"},
		{"/runs", "a", "", 200, "other 0 other 1"}, // going on played nothing new
		{"/runs", "a", "0", 200, "other 1"},
		{"/runs", "a", "1", 204, ""},
		{"/runs", "a", "2", 200, "3"},
		{"/cut", "a", "1", 200, "2 3 4 5"},
		{"/cut", "a", "3", 200, "4 5"},
		{"/cut", "a", "5", 204, ""},
		{"/half", "a", "", 200, "4 5 6 7 8"},
		{"/half", "a", "3", 200, "4 5 6 7 8"},
		{"/half", "a", "6", 200, "7 8"},
		{"/half", "a", "1", 200, "4 5 6 7 8"},
		{"/several", "a", "a", 200, "3 4"},
		{"/several", "a", "b", 204, ""},
	} {
		res, body := ask(t, http.DefaultClient, "GET", base+c.path+"?speed=max&take="+c.take, "", "Last-Event-ID", c.last)
		if res.StatusCode != c.status || seen(body) != c.want {
			t.Errorf("%s in take %s after %q: %d %q, want %d %q", c.path, c.take, c.last, res.StatusCode, seen(body), c.status, c.want)
		}
	}
	for _, last := range []string{"", "1"} { // the answer breaks off as it did, then comes the next
		res, err := http.DefaultClient.Do(request(t, base+"/restart?speed=max", last))
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 1000)
		n, _ := res.Body.Read(body)
		res.Body.Close()
		if got := seen(string(body[:n])); (last == "") != strings.HasPrefix(got, "0") {
			t.Errorf("/restart after %q: %q", last, got)
		}
	}
	res, _ := ask(t, http.DefaultClient, "GET", base+"/whole?take=d", "", "Last-Event-ID", "8", "Origin", "http://localhost:5173")
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Origin") != "http://localhost:5173" {
		t.Errorf("a page gets %d %v", res.StatusCode, res.Header)
	}
}

func request(t *testing.T, address, last string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	return req
}

// What follows comes on the recorded clock, counted from the event that was had
// last: neither at once nor as late as from the start.
func TestResumeOnTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		s := et.Head(et.Asked(tape, 0, "GET /x", nil, ""), 0, "200 OK", "Content-Type: text/event-stream")
		for i := range 4 {
			s.Add(time.Duration(i+1)*time.Second, fmt.Sprintf("id: %d\ndata: x\n\n", i), et.Over(schema.SSE))
		}
		client := et.ServePipe(t, handler(tape))
		start := time.Now()
		res, err := client.Do(request(t, et.Base+"/x", "1"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got, err := et.Reads(res, start)
		if want := "1000 id: 2 data: x 2000 id: 3 data: x"; err != nil || strings.Join(strings.Fields(strings.Join(got, " ")), " ") != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
}
