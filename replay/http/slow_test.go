package replayhttp_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/slow"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// drowsy takes so long for every 4 KiB.
type drowsy struct {
	io.Reader
	nap time.Duration
}

func (d drowsy) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p[:min(len(p), 4096)])
	time.Sleep(d.nap * time.Duration(n) / 4096) // virtual time: a client that reads slowly
	return n, err
}

// playSlowly takes a playback at a pace of about ten frames a nap.
func playSlowly(t *testing.T, client *http.Client, over schema.Transport, query string, nap time.Duration) *playback {
	t.Helper()
	p := &playback{status: http.StatusOK}
	if over == schema.WebSocket {
		conn, _, err := websocket.Dial(t.Context(), address(base, query), &websocket.DialOptions{HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		for {
			_, data, err := conn.Read(t.Context())
			if err != nil {
				p.closeCode, p.bodyErr = websocket.CloseStatus(err), err
				return p
			}
			p.messages = append(p.messages, message{data: string(data)})
			time.Sleep(nap / 10) // virtual time: a client that reads slowly
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(base, query), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", map[schema.Transport]string{schema.SSE: "text/event-stream", schema.NDJSON: "application/x-ndjson"}[over])
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(drowsy{res.Body, nap})
	p.bodyErr = err
	if over == schema.SSE {
		p.messages = parseSSE(string(body))
		return p
	}
	for line := range strings.Lines(string(body)) {
		p.messages = append(p.messages, message{data: strings.TrimSuffix(line, "\n")})
	}
	return p
}

// A slow client is paced by its own reading, then sent its position and disconnected,
// and goes on from there without a gap or a repeat.
func TestSlowClient(t *testing.T) {
	for _, over := range transports {
		synctest.Test(t, func(t *testing.T) {
			tape := simple(600, 100*time.Millisecond)
			opts := replayhttp.Options{Library: tape, LagLimit: slow.NewTimeout(10 * time.Second), Heartbeat: time.Hour}
			client, all := servePipe(t, opts), positions(tape, nil)

			got, last := playSlowly(t, client, over, "", 500*time.Millisecond).frames(t)
			if !slices.Equal(got, all) || last.Type != "end" {
				t.Errorf("%s: as fast as the tape: %d frames, then %+v", over, len(got), last)
			}
			if got, last = playSlowly(t, client, over, "speed=max", 3*time.Second).frames(t); !slices.Equal(got, all) || last.Type != "end" {
				t.Errorf("%s: at speed max: %d frames, then %+v", over, len(got), last)
			}
			p := playSlowly(t, client, over, "", 3*time.Second)
			got, last = p.frames(t)
			if len(got) == 0 || len(got) == len(all) || last.Type != "error" || last.Status != 408 ||
				last.Position != got[len(got)-1] || last.Detail == "" {
				t.Fatalf("%s: %d frames, then %+v", over, len(got), last)
			}
			if over == schema.WebSocket && (p.closeCode != websocket.StatusPolicyViolation || !strings.Contains(p.bodyErr.Error(), last.Position)) {
				t.Errorf("closed with %v", p.bodyErr)
			}
			if event := p.messages[len(p.messages)-1].event; over == schema.SSE && event != "error" {
				t.Errorf("the event's name is %q", event)
			}
			rest, last := play(t, client, base, over, "", "Last-Event-ID", last.Position).frames(t)
			if !slices.Equal(append(got, rest...), all) || last.Type != "end" {
				t.Errorf("%s: resumed: %d and %d frames, then %+v", over, len(got), len(rest), last)
			}
		})
	}
}

// So is one that follows a session live: it is disconnected once it is too far behind what
// there is, and goes on from there.
func TestSlowLiveClient(t *testing.T) {
	for _, over := range transports {
		synctest.Test(t, func(t *testing.T) {
			tape := &replaytest.Growing{Memory: simple(1200, 100*time.Millisecond), Begin: time.Now()}
			opts := replayhttp.Options{Library: tape.Memory, Live: tape, LagLimit: slow.NewTimeout(10 * time.Second), Heartbeat: time.Hour}
			client, all := servePipe(t, opts), positions(tape.Memory, nil)

			p := playSlowly(t, client, over, "follow=1", 3*time.Second)
			got, last := p.frames(t)
			if len(got) == 0 || len(got) == len(all) || last.Type != "error" || last.Status != 408 || last.Position != got[len(got)-1] {
				t.Fatalf("%s: %d frames, then %+v", over, len(got), last)
			}
			if over == schema.WebSocket && p.closeCode != websocket.StatusPolicyViolation {
				t.Errorf("closed with %v", p.bodyErr)
			}
			if behind := tape.Edge() - tape.Memory.Frames()[len(got)].At; behind < int64(10*time.Second) {
				t.Errorf("%s: disconnected %v behind", over, time.Duration(behind))
			}
			rest, last := play(t, client, base, over, "follow=1&speed=10", "Last-Event-ID", last.Position).frames(t)
			if !slices.Equal(append(got, rest...), all) || last.Type != "end" {
				t.Errorf("%s: resumed: %d and %d frames of %d, then %+v", over, len(got), len(rest), len(all), last)
			}
		})
	}
}

// Where only recorded bytes may be sent, the connection breaks off.
func TestSlowRawClient(t *testing.T) {
	for _, over := range []schema.Transport{schema.NDJSON, schema.WebSocket} {
		synctest.Test(t, func(t *testing.T) {
			tape := simple(6000, 10*time.Millisecond)
			for i := range tape.Frames() {
				tape.Frames()[i].Raw = []byte(strings.Repeat(" ", 400) + "{}\n")
			}
			client := servePipe(t, replayhttp.Options{Library: tape, LagLimit: slow.NewTimeout(10 * time.Second), Heartbeat: time.Hour})
			p := playSlowly(t, client, over, "mode=raw", 10*time.Second)
			if p.bodyErr == nil || len(p.messages) == 0 || len(p.messages) == 6000 {
				t.Errorf("%s: %d frames, %v", over, len(p.messages), p.bodyErr)
			}
		})
	}
}
