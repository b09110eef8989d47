package replayhttp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/slow"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// reads returns what arrives as "<ms> <bytes>", read by read: a read of a chunked
// body never spans two chunks that were flushed at different times.
func reads(t *testing.T, client *http.Client, query string, headers ...string) (list []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(base, query), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", time.Since(start).Milliseconds(), buf[:n]))
		}
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			return list
		}
	}
}

// What came in one read goes out in one write, and a frame that came in three
// goes out in three, each at its time.
func TestRawKeepsChunks(t *testing.T) {
	for _, transport := range []schema.Transport{schema.SSE, schema.NDJSON} {
		synctest.Test(t, func(t *testing.T) {
			tape := &replaytest.Tape{}
			cut := func(offset uint32, ms int64) schema.Cut {
				return schema.Cut{Offset: offset, At: replaytest.Start + ms*1e6}
			}
			tape.Stream(transport, "").
				Add(0, "a1\n").
				Add(0, "a2\n", flag(schema.FlagJoined)).
				Add(0, "b\n"). // a read of its own, at the same time
				Add(500*time.Millisecond, "c123\n", func(f *schema.Frame) {
					f.Cuts = []schema.Cut{cut(1, 0), cut(2, 200), cut(4, 300)}
				}).
				Add(500*time.Millisecond, "d\n", flag(schema.FlagJoined))
			client := servePipe(t, replayhttp.Options{Library: tape})
			accept := []string{"Accept", map[schema.Transport]string{schema.SSE: "text/event-stream", schema.NDJSON: "application/x-ndjson"}[transport]}
			got := reads(t, client, "mode=raw", accept...)
			want := []string{"0 a1\na2\n", "0 b\nc", "200 1", "300 23", "500 \nd\n"}
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			got = reads(t, client, "mode=raw&speed=max", accept...)
			if whole := strings.Join(got, ""); whole != "0 a1\na2\nb\nc123\nd\n" {
				t.Errorf("at speed max: got %q", got)
			}
		})
	}
}

// Heartbeats come in silence, and at no time within an event.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := simple(2, 40*time.Second)
		client := servePipe(t, replayhttp.Options{Library: tape})
		var got []string
		for _, r := range reads(t, client, "") {
			at, what, _ := strings.Cut(r, " ")
			got = append(got, at+" "+what[:min(9, len(what))])
		}
		want := []string{"0 id: 17673", "15000 : heartbe", "30000 : heartbe", "40000 id: 17673"}
		if !slices.Equal(got[:4], want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// On the same clock: the rest of the gap is counted from the resumption on.
func TestResumesOnTheSameClock(t *testing.T) {
	for _, over := range transports {
		synctest.Test(t, func(t *testing.T) {
			tape := simple(5, 10*time.Second)
			client := servePipe(t, replayhttp.Options{Library: tape, Heartbeat: time.Hour})
			all := positions(tape, nil)
			start := time.Now()
			got, _ := play(t, client, base, over, "", "Last-Event-ID", all[2]).frames(t)
			if took := time.Since(start); took != 20*time.Second || !slices.Equal(got, all[3:]) {
				t.Errorf("%s: %q in %s", over, got, took)
			}
			start = time.Now()
			got, _ = play(t, client, base, over, "idle_limit=3s&speed=0.5", "Last-Event-ID", all[2]).frames(t)
			if took := time.Since(start); took != 12*time.Second || len(got) != 2 {
				t.Errorf("%s, silence cut: %q in %s", over, got, took)
			}
		})
	}
}

// A client that does not read costs its connection, after the write deadline.
func TestStuckClient(t *testing.T) {
	for _, over := range transports {
		synctest.Test(t, func(t *testing.T) {
			tape := simple(1000, 0)
			client := servePipe(t, replayhttp.Options{Library: tape, WriteTimeout: slow.NewTimeout(7 * time.Second), Budget: budget.New(budget.Options{Readers: 1}), Heartbeat: time.Hour})
			h := map[schema.Transport]string{schema.SSE: "", schema.NDJSON: "Accept: application/x-ndjson\r\n",
				schema.WebSocket: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"}[over]
			conn, err := client.Transport.(*http.Transport).DialContext(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /v1/sessions/session/replay?speed=max HTTP/1.1\r\nHost: x\r\n%s\r\n", h)
			var head []byte // and no more
			for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
				var b [1]byte
				if _, err := conn.Read(b[:]); err != nil {
					t.Fatalf("%q: %v", head, err)
				}
				head = append(head, b[0])
			}
			if !bytes.Contains(head, []byte(" 200 ")) && !bytes.Contains(head, []byte(" 101 ")) {
				t.Fatalf("%q", head)
			}
			time.Sleep(6 * time.Second) // virtual time: before the deadline
			if p := play(t, client, base, schema.SSE, "speed=max"); p.status != 503 {
				t.Errorf("%s: before the deadline: status %d", over, p.status)
			}
			time.Sleep(2 * time.Second) // virtual time: after the deadline
			synctest.Wait()
			if p := play(t, client, base, schema.SSE, "speed=max"); p.status != 200 {
				t.Errorf("%s: after the deadline: status %d", over, p.status)
			}
		})
	}
}
