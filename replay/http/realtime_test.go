package replayhttp_test

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/speedtest"
	"tapedeck/replay"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// paced returns a tape of n frames with gaps of up to 20 ms.
func paced(n int) *replaytest.Tape {
	tape := &replaytest.Tape{Batch: 64}
	s := tape.Stream(schema.SSE, "")
	for at := time.Duration(0); n > 0; n-- {
		s.Add(at, "data: {}\n\n")
		at += time.Duration(rand.IntN(20e6))
	}
	return tape
}

// arrivals returns when each frame reached a client on this machine, counted from
// the request.
func arrivals(t testing.TB, client *http.Client, base string, over schema.Transport, query string) (list []time.Duration) {
	t.Helper()
	start := time.Now()
	note := func() { list = append(list, time.Since(start)) }
	if over == schema.WebSocket {
		conn, _, err := websocket.Dial(t.Context(), address(base, query), &websocket.DialOptions{HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		for {
			_, data, err := conn.Read(t.Context())
			if err != nil {
				return list
			}
			if strings.HasPrefix(string(data), `{"position"`) {
				note()
			}
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(base, query), nil)
	if err != nil {
		t.Fatal(err)
	}
	prefix := "id: "
	if over == schema.NDJSON {
		req.Header.Set("Accept", "application/x-ndjson")
		prefix = `{"position"`
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) && !strings.HasSuffix(lines.Text(), ".end") {
			note()
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// lateness is by how much frames came later than recorded, sorted.
func lateness(tape *replaytest.Tape, arrived []time.Duration, speed float64) []time.Duration {
	late := make([]time.Duration, len(arrived))
	for i, at := range arrived {
		due := float64(tape.Frames()[i].At-tape.Frames()[0].At) / speed
		late[i] = at - time.Duration(due)
	}
	slices.Sort(late)
	return late
}

// On the machine's own clock: no frame is early, all of them come, and half of
// them within 20 ms.
func TestRealClock(t *testing.T) {
	for _, over := range transports {
		t.Run(over.String(), func(t *testing.T) {
			t.Parallel()
			tape := paced(60)
			srv := serve(t, replayhttp.Options{Library: tape})
			arrived := arrivals(t, srv.Client(), srv.URL, over, "speed=2")
			if len(arrived) != 60 {
				t.Fatalf("%d frames", len(arrived))
			}
			late := lateness(tape, arrived, 2)
			speedtest.Within(t, "half of the frames: the delay after the first", late[30]-arrived[0], 20*time.Millisecond)
			if late[0] < -time.Millisecond { // the playback began after the request
				t.Errorf("a frame came %s early", -late[0])
			}
		})
	}
}

// BenchmarkLateness measures how late frames reach a client on this machine at
// the recorded speed, in microseconds.
func BenchmarkLateness(b *testing.B) {
	for name, alarm := range map[string]func() player.Alarm{"precise": player.PreciseAlarm, "timer": player.TimerAlarm} {
		b.Run(name, func(b *testing.B) {
			tape := paced(500)
			srv := serve(b, replayhttp.Options{Library: tape, Alarm: alarm})
			var late []time.Duration
			for b.Loop() {
				arrived := arrivals(b, srv.Client(), srv.URL, schema.SSE, "")
				first := arrived[0]
				for i := range arrived {
					arrived[i] -= first
				}
				late = append(late, lateness(tape, arrived, 1)...)
			}
			slices.Sort(late)
			for name, q := range map[string]float64{"p50-µs": 0.5, "p90-µs": 0.9, "p99-µs": 0.99} {
				b.ReportMetric(float64(late[int(q*float64(len(late)))])/1e3, name)
			}
		})
	}
}

// many returns a tape of n frames of 140 bytes.
func many(n int) *replaytest.Tape {
	tape := &replaytest.Tape{Batch: 4096}
	s := tape.Stream(schema.NDJSON, "loom")
	raw := `{"type":"text_delta","event_id":123456,"run_id":"run-123","node_id":"node-1234","delta":"` + strings.Repeat("x", 50) + `"}` + "\n"
	for i := range n {
		s.Add(time.Duration(i)*time.Millisecond, raw, func(f *schema.Frame) {
			f.Type, f.Run, f.Node, f.EventID = "text_delta", "run-123", "node-1234", "123456"
		})
	}
	return tape
}

// BenchmarkMax measures speed=max over a socket, from memory and from
// ClickHouse.
func BenchmarkMax(b *testing.B) {
	const n = 500_000
	tape := many(n)
	dsn := localtest.ClickHouse(b)
	store := clickhouse.Open(dsn, clickhouse.Options{})
	defer store.Close()
	record(b, dsn, tape)
	for _, from := range []struct {
		name    string
		library replay.Library
	}{{"memory", tape}, {"clickhouse", store}} {
		for _, how := range []struct{ name, query, accept string }{
			{"ndjson-event", "speed=max", "application/x-ndjson"},
			{"ndjson-raw", "speed=max&mode=raw", "application/x-ndjson"},
			{"sse-event", "speed=max", "text/event-stream"},
		} {
			b.Run(from.name+"/"+how.name, func(b *testing.B) {
				srv := serve(b, replayhttp.Options{Library: from.library})
				var bytes int64
				for b.Loop() {
					req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address(srv.URL, how.query), nil)
					if err != nil {
						b.Fatal(err)
					}
					req.Header.Set("Accept", how.accept)
					res, err := srv.Client().Do(req)
					if err != nil {
						b.Fatal(err)
					}
					if bytes, err = io.Copy(io.Discard, res.Body); err != nil {
						b.Fatal(err)
					}
					res.Body.Close()
				}
				b.SetBytes(bytes)
				b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "frames/s")
			})
		}
	}
}

// record inserts a tape's one stream.
func record(t testing.TB, dsn string, tape *replaytest.Tape) {
	t.Helper()
	conn, err := schemaclickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := schemaclickhouse.Migrate(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	client, err := schemaclickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	batch := schemaclickhouse.NewBatch()
	for _, s := range tape.Streams() {
		b := &block.Block{Tenant: "default", Session: replaytest.Session, State: s}
		for _, f := range tape.Frames() {
			if f.Stream.StreamID == s.StreamID {
				b.Frames = append(b.Frames, f.Frame)
			}
		}
		if err := batch.Add("default", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Insert(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

// What was recorded comes out of a real ClickHouse, over every transport.
func TestFromClickHouse(t *testing.T) {
	tape, body := sseTape()
	dsn := localtest.ClickHouse(t)
	record(t, dsn, tape)
	store := clickhouse.Open(dsn, clickhouse.Options{})
	defer store.Close()
	srv := serve(t, replayhttp.Options{Library: store})
	for _, over := range transports {
		got, last := play(t, srv.Client(), srv.URL, over, "speed=max").frames(t)
		if want := positions(tape, nil); !slices.Equal(got, want) || last.Type != "end" {
			t.Errorf("%s: got %q and %+v, want %q", over, got, last, want)
		}
	}
	if p := play(t, srv.Client(), srv.URL, schema.SSE, "speed=1000&mode=raw"); p.body != body {
		t.Errorf("got  %q\nwant %q", p.body, body)
	}
	if p := play(t, srv.Client(), srv.URL+"/v1/sessions/other/replay?type=", schema.SSE, ""); p.status != 404 {
		t.Errorf("unknown session: %d %s", p.status, p.body)
	}
}
