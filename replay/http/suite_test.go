package replayhttp_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/replay"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// What holds for every transport.
func TestTransports(t *testing.T) {
	for _, over := range transports {
		t.Run(over.String(), func(t *testing.T) {
			t.Run("plays everything", func(t *testing.T) { playsEverything(t, over) })
			t.Run("chooses", func(t *testing.T) { chooses(t, over) })
			t.Run("resumes", func(t *testing.T) { resumes(t, over) })
			t.Run("says that it failed", func(t *testing.T) { saysThatItFailed(t, over) })
			t.Run("refuses", func(t *testing.T) { refuses(t, over) })
			t.Run("is busy", func(t *testing.T) { isBusy(t, over) })
		})
	}
}

func playsEverything(t *testing.T, over schema.Transport) {
	tape := simple(30, time.Second)
	srv := serve(t, replayhttp.Options{Library: tape})
	p := play(t, srv.Client(), srv.URL, over, "speed=max")
	got, last := p.frames(t)
	if want := positions(tape, nil); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if last.Type != "end" || last.Frames != 30 || last.OffsetMS != 29000 || last.Position != got[29] {
		t.Errorf("the end is %+v", last)
	}
	switch over {
	case schema.WebSocket:
		if p.closeCode != 1000 {
			t.Errorf("closed with %d", p.closeCode)
		}
	case schema.SSE:
		for i, m := range p.messages[:30] {
			if m.id != got[i] || m.event != string(rune('a'+i%3)) {
				t.Errorf("event %d has id %q and name %q", i, m.id, m.event)
			}
		}
		if end := p.messages[30]; end.event != "end" || end.id != got[29]+".end" {
			t.Errorf("the end is %+v", end)
		}
		fallthrough
	default:
		want := map[string]string{
			"Content-Type":  map[schema.Transport]string{schema.SSE: "text/event-stream", schema.NDJSON: "application/x-ndjson"}[over],
			"Cache-Control": "no-cache", "X-Accel-Buffering": "no",
		}
		for k, v := range want {
			if got := p.header.Get(k); got != v {
				t.Errorf("%s is %q, want %q", k, got, v)
			}
		}
	}
	if tape.Open() != 0 {
		t.Errorf("%d readers are still open", tape.Open())
	}
}

func chooses(t *testing.T, over schema.Transport) {
	tape := simple(12, time.Second)
	srv := serve(t, replayhttp.Options{Library: tape})
	all := positions(tape, nil)
	typed := func(types string) func(*replay.Frame) bool {
		return func(f *replay.Frame) bool { return strings.Contains(types, f.Type) }
	}
	for query, want := range map[string][]string{
		"type=a":                     positions(tape, typed("a")),
		"type=a,c":                   positions(tape, typed("ac")),
		"type=a&type=b":              positions(tape, typed("ab")),
		"agent=agent":                all,
		"agent=nobody":               nil,
		"direction=send":             positions(tape, func(f *replay.Frame) bool { return f.Direction == schema.Send }),
		"direction=send,receive":     all,
		"from=%2B2.5s":               all[3:],
		"from=+2.5s":                 all[3:], // a plus that was not escaped
		"from=" + all[5]:             all[5:],
		"from=type:c":                all[2:],
		"from=type:c&to=type:b":      all[2:5],
		"to=%2B3s":                   all[:4],
		"to=" + all[0]:               all[:1],
		"from=%2B1s&to=%2B2s&type=b": all[1:2],
		"from=%2B1h":                 nil,
	} {
		got, last := play(t, srv.Client(), srv.URL, over, "speed=max&"+query).frames(t)
		if !slices.Equal(got, want) || last.Type != "end" || last.Frames != len(want) {
			t.Errorf("%s: got %q and %+v, want %q", query, got, last, want)
		}
	}
}

func resumes(t *testing.T, over schema.Transport) {
	tape := simple(12, time.Second)
	srv := serve(t, replayhttp.Options{Library: tape})
	all := positions(tape, nil)
	for _, tc := range []struct {
		name, query string
		headers     []string
		want        []string
	}{
		{"by header", "", []string{"Last-Event-ID", all[3]}, all[4:]},
		{"by parameter", "last_event_id=" + all[3], nil, all[4:]},
		{"the header counts", "last_event_id=" + all[0], []string{"Last-Event-ID", all[3]}, all[4:]},
		{"and not from", "from=" + all[0], []string{"Last-Event-ID", all[3]}, all[4:]},
		{"to still holds", "to=" + all[5], []string{"Last-Event-ID", all[3]}, all[4:6]},
		{"and so do filters", "type=a", []string{"Last-Event-ID", all[3]}, []string{all[6], all[9]}},
		{"beyond to", "to=" + all[2], []string{"Last-Event-ID", all[3]}, nil},
		{"at the end", "", []string{"Last-Event-ID", all[11]}, nil},
		{"-1 is the start", "", []string{"Last-Event-ID", "-1"}, all},
		{"so is nothing", "last_event_id=", []string{"Last-Event-ID", ""}, all},
		{"of which from still counts", "from=" + all[10], []string{"Last-Event-ID", "-1"}, all[10:]},
	} {
		got, last := play(t, srv.Client(), srv.URL, over, "speed=max&"+tc.query, tc.headers...).frames(t)
		if !slices.Equal(got, tc.want) || last.Type != "end" {
			t.Errorf("%s: got %q and %+v, want %q", tc.name, got, last, tc.want)
		}
	}
}

func saysThatItFailed(t *testing.T, over schema.Transport) {
	tape := simple(12, time.Second)
	tape.FailAfter, tape.Err = 5, errors.New("password=hunter2 refused")
	srv := serve(t, replayhttp.Options{Library: tape})
	p := play(t, srv.Client(), srv.URL, over, "speed=max")
	got, last := p.frames(t)
	if len(got) != 5 || last.Type != "error" || last.Status != http.StatusServiceUnavailable || last.Detail == "" {
		t.Errorf("got %d frames and %+v", len(got), last)
	}
	if strings.Contains(p.messages[5].data, "hunter2") {
		t.Error("the client receives what only the log may have")
	}
	if over == schema.SSE && p.messages[5].event != "error" {
		t.Errorf("the event's name is %q", p.messages[5].event)
	}
	if over == schema.WebSocket && p.closeCode != 1011 {
		t.Errorf("closed with %d", p.closeCode)
	}
}

func refuses(t *testing.T, over schema.Transport) {
	tape := simple(3, time.Second)
	srv := serve(t, replayhttp.Options{Library: tape})
	foreign := "1767323045123456789.019b7d3c-ffff-7000-8000-000000000000.0"
	for _, tc := range []struct {
		query, parameter string
		headers          []string
	}{
		{"speed=fast", "speed", nil},
		{"speed=0.01", "speed", nil},
		{"speed=1001", "speed", nil},
		{"idle_limit=2", "idle_limit", nil},
		{"idle_limit=0s", "idle_limit", nil},
		{"from=yesterday", "from", nil},
		{"from=type:nothing", "from", nil},
		{"from=" + foreign, "from", nil},
		{"to=-5s", "to", nil},
		{"from=%2B2s&to=%2B1s", "to", nil},
		{"direction=up", "direction", nil},
		{"mode=cooked", "mode", nil},
		{"follow=maybe", "follow", nil},
		{"last_event_id=17", "last_event_id", nil},
		{"last_event_id=" + foreign, "last_event_id", nil},
		{"", "last_event_id", []string{"Last-Event-ID", "%2B1s"}},
		{"from=%ZZ", "", nil},
		{"sped=2", "sped", nil},
	} {
		p := play(t, srv.Client(), srv.URL, over, tc.query, tc.headers...)
		e := decode(t, p.body)
		if p.status != 400 || p.header.Get("Content-Type") != "application/problem+json" || e.Parameter != tc.parameter ||
			e.Detail == "" || (len(e.Allowed) == 0 && e.Parameter != "" && !strings.Contains(tc.query, "&to")) {
			t.Errorf("%s: got %d %s", tc.query, p.status, p.body)
		}
	}
	p := play(t, srv.Client(), srv.URL+"/v1/sessions/other/replay?type=", over, "")
	if e := decode(t, p.body); p.status != 404 || !strings.Contains(e.Detail, `"other"`) {
		t.Errorf("unknown session: got %d %s", p.status, p.body)
	}
}

func isBusy(t *testing.T, over schema.Transport) {
	tape := simple(2, time.Hour)
	metrics := prometheus.NewRegistry()
	srv := serve(t, replayhttp.Options{Library: tape, Budget: budget.New(budget.Options{Readers: 1}), Registerer: metrics})
	res, err := srv.Client().Get(address(srv.URL, ""))
	if err != nil {
		t.Fatal(err)
	}
	metrictest.Gathered(metrics).Show(t, "tapedeck_replay_playbacks")
	p := play(t, srv.Client(), srv.URL, over, "")
	if p.status != 503 || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "All 1 readers") {
		t.Errorf("got %d %v %s", p.status, p.header, p.body)
	}
	res.Body.Close()
	bounded.Until(t, "the place of a client that left is free again", func() bool {
		return play(t, srv.Client(), srv.URL, over, "speed=max").status < 300
	})
}

func TestUnreachableLibrary(t *testing.T) {
	srv := serve(t, replayhttp.Options{Library: broken{}})
	p := play(t, srv.Client(), srv.URL, schema.SSE, "")
	if p.status != 503 || p.header.Get("Retry-After") == "" || strings.Contains(p.body, "hunter2") {
		t.Errorf("got %d %s", p.status, p.body)
	}
}

func TestFollow(t *testing.T) {
	tape := simple(3, time.Second)
	srv := serve(t, replayhttp.Options{Library: tape})
	if got, last := play(t, srv.Client(), srv.URL, schema.SSE, "speed=max&follow=1").frames(t); len(got) != 3 || last.Type != "end" {
		t.Errorf("a session that is over: got %q, %+v", got, last)
	}
	tape = &replaytest.Tape{Running: true}
	tape.Stream(schema.NDJSON, "").Add(0, "{}\n")
	srv = serve(t, replayhttp.Options{Library: tape})
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "follow=1"); p.status != 501 {
		t.Errorf("a running session: got %d %s", p.status, p.body)
	}
	if got, last := play(t, srv.Client(), srv.URL, schema.SSE, "follow=0").frames(t); len(got) != 1 || last.Type != "end" {
		t.Errorf("a running session so far: got %q, %+v", got, last)
	}
}
