package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// proxied measures the cost of the recording proxy for its clients.
type proxied struct {
	chunks   []chunkDelay
	direct   Laps // a download of frames, straight from the server
	recorded Laps // the same through the proxy
	notice   string
}

// chunkDelay is how late the chunks of some connections were at the client.
type chunkDelay struct {
	connections int
	gap         time.Duration // between two chunks of one connection
	direct      Delays
	proxy       Delays
}

// added returns how much later a chunk is because of the proxy.
func (d *chunkDelay) added(q float64) time.Duration { return d.proxy.At(q) - d.direct.At(q) }

const bodySize = 64 << 20

func (s *proxied) measure(ctx context.Context, w *workshop) (err error) {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	body, err := head(w.path, full(w, bodySize, bodySize/16))
	if err != nil {
		return err
	}
	began := time.Now()
	up := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			out.Header().Set("Content-Type", "application/x-ndjson")
			_, _ = out.Write(body) // the client checks the length
			return
		}
		ticking(out, r, began)
	}))
	defer up.Close()
	proxy, err := start(w.Program, c.dir, nil, nil, nil, "proxy", "--upstream", up.URL, "--listen", "127.0.0.1:0",
		"--server", c.ingest.url, "--session", "proxied", "--log-level", "warn")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, proxy.stop()) }()
	if err := proxy.answers(ctx, proxySays, func() bool { return true }); err != nil {
		return err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	s.chunks = []chunkDelay{{connections: 1, gap: 2 * time.Millisecond}, {connections: 20, gap: 20 * time.Millisecond}}
	for i := range s.chunks {
		if err := s.chunks[i].measure(ctx, client, up.URL, proxy.url, began, full(w, 4*time.Second, 200*time.Millisecond)); err != nil {
			return err
		}
	}
	for range full(w, 3, 1) {
		for _, way := range []struct {
			into *Laps
			url  string
		}{{&s.direct, up.URL}, {&s.recorded, proxy.url}} {
			run, err := download(ctx, client, way.url+"/body", len(body))
			if err != nil {
				return err
			}
			*way.into = append(*way.into, run)
		}
	}
	return s.check(ctx, c, len(body))
}

// check verifies that the downloads were recorded completely: a proxy that
// stops recording would be fast.
func (s *proxied) check(ctx context.Context, c *cluster, size int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := waitFor(ctx, c.db, wholeDownloads, uint64(len(s.recorded)), uint64(size))
	if errors.Is(err, context.DeadlineExceeded) {
		s.notice = "Not every download was recorded to its end, so the throughput is not that of recording."
		return nil
	}
	return err
}

// measure takes the delays of both paths, alternating every half second, so that
// other load affects both. The first turn is discarded.
func (d *chunkDelay) measure(ctx context.Context, client *http.Client, direct, proxy string, began time.Time, each time.Duration) error {
	turn := min(500*time.Millisecond, each)
	events := int(turn / d.gap)
	for i := range 1 + int(each/turn) {
		for _, way := range []struct {
			into *Delays
			url  string
		}{{&d.direct, direct}, {&d.proxy, proxy}} {
			got, err := listenAll(ctx, client, way.url+"/?"+strconv.Itoa(events)+"&"+d.gap.String(), d.connections, began)
			if err != nil {
				return err
			}
			if len(got) != events*d.connections {
				return fmt.Errorf("%d of %d chunks came from %s", len(got), events*d.connections, way.url)
			}
			if i > 0 {
				*way.into = append(*way.into, got...)
			}
		}
	}
	return nil
}

// download reads a body of the given size.
func download(ctx context.Context, client *http.Client, url string, size int) (Lap, error) {
	began := time.Now()
	res, err := get(ctx, client, url)
	if err != nil {
		return Lap{}, err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err == nil && n != int64(size) {
		err = fmt.Errorf("%d of %d bytes came from %s", n, size, url)
	}
	return Lap{Bytes: uint64(n), Took: time.Since(began)}, err
}

func (s *proxied) write(p *page) {
	p.text("Events of 200 bytes from a server, read by a client directly and through `tapedeck proxy`, by turns; the proxy, a process of its own,\n" +
		"records them to the servers of the delays above. From before an event's write at the server to after its read at the client; what the\n" +
		"proxy adds is the difference of the percentiles.")
	p.table("| connections | events/s on each | direct p50 | direct p99 | proxy p50 | proxy p99 | added p50 | added p99 |", "|---:|---:|---:|---:|---:|---:|---:|---:|")
	for i := range s.chunks {
		d := &s.chunks[i]
		p.row(strconv.Itoa(d.connections), strconv.Itoa(int(time.Second/d.gap)), millis(d.direct.At(0.5)), millis(d.direct.At(0.99)),
			millis(d.proxy.At(0.5)), millis(d.proxy.At(0.99)), millis(d.added(0.5)), millis(d.added(0.99)))
	}
	p.text("One answer of NDJSON, frames of the file, as fast as it goes:")
	p.table("| | bytes/s |", "|---|---:|")
	p.row("direct", megabytes(s.direct.Median().ByteRate()))
	p.row("through the proxy, recorded frame by frame", megabytes(s.recorded.Median().ByteRate()))
	if s.notice != "" {
		p.text("%s", s.notice)
	}
}

func (s *proxied) bars() []bar {
	var p50, p99 time.Duration // of the worse case
	for i := range s.chunks {
		p50, p99 = max(p50, s.chunks[i].added(0.5)), max(p99, s.chunks[i].added(0.99))
	}
	text := func(x float64) string { return millis(time.Duration(x)) }
	return []bar{
		atMost("proxy, added to a chunk, p50", len(s.chunks) > 0, float64(p50), float64(200*time.Microsecond), text),
		atMost("proxy, added to a chunk, p99", len(s.chunks) > 0, float64(p99), float64(2*time.Millisecond), text),
	}
}
