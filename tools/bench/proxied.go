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

// Proxy holds the cost of the recording proxy for its clients.
type Proxy struct {
	Chunks   []ChunkDelay `json:"chunks"`
	Direct   Passes       `json:"direct"`   // a download of frames from the server
	Recorded Passes       `json:"recorded"` // the same download through the proxy
}

// ChunkDelay holds how late the chunks of some connections arrived at the client, directly and
// through the proxy.
type ChunkDelay struct {
	Connections int           `json:"connections"`
	Gap         time.Duration `json:"gap_ns"` // between two chunks of one connection
	Direct      Percentiles   `json:"direct"`
	Proxy       Percentiles   `json:"proxy"`
}

// Added50 returns how much later the median chunk arrives because of the proxy.
func (d ChunkDelay) Added50() time.Duration { return d.Proxy.P50 - d.Direct.P50 }

// Added99 returns how much later the 99th percentile is because of the proxy.
func (d ChunkDelay) Added99() time.Duration { return d.Proxy.P99 - d.Direct.P99 }

// PerSecond returns the chunks per second of one connection.
func (d ChunkDelay) PerSecond() int { return int(time.Second / d.Gap) }

const bodySize = 64 << 20

func measureProxy(ctx context.Context, h *harness, r *Results) (err error) {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	body, err := head(h.path, pick(h, bodySize, bodySize/16))
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
	proxy, err := start(h.Program, c.dir, nil, nil, nil, "proxy", "--upstream", up.URL, "--listen", "127.0.0.1:0",
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

	p := &Proxy{Chunks: []ChunkDelay{{Connections: 1, Gap: 2 * time.Millisecond}, {Connections: 20, Gap: 20 * time.Millisecond}}}
	r.Proxy = p
	for i := range p.Chunks {
		if err := p.Chunks[i].measure(ctx, client, up.URL, proxy.url, began, pick(h, 4*time.Second, 200*time.Millisecond)); err != nil {
			return err
		}
	}
	err = alternate(pick(h, 3, 1),
		turn{&p.Direct, func() (Pass, error) { return download(ctx, client, up.URL+"/body", len(body)) }},
		turn{&p.Recorded, func() (Pass, error) { return download(ctx, client, proxy.url+"/body", len(body)) }})
	if err != nil {
		return err
	}
	// The downloads must be recorded completely, since a proxy that stops recording would be fast.
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := waitFor(ctx, c.db, statement("whole_downloads"), uint64(len(p.Recorded)), uint64(len(body))); err != nil {
		return fmt.Errorf("the downloads through the proxy: %w", err)
	}
	return nil
}

// measure takes the delays of both paths, alternating every half second, so that other load affects
// both. It discards the first turn.
func (d *ChunkDelay) measure(ctx context.Context, client *http.Client, direct, proxy string, began time.Time, each time.Duration) error {
	turn := min(500*time.Millisecond, each)
	events := int(turn / d.Gap)
	var viaServer, viaProxy []time.Duration
	for i := range 1 + int(each/turn) {
		for _, way := range []struct {
			into *[]time.Duration
			url  string
		}{{&viaServer, direct}, {&viaProxy, proxy}} {
			got, err := listenAll(ctx, client, way.url+"/?"+strconv.Itoa(events)+"&"+d.Gap.String(), d.Connections,
				began)
			if err != nil {
				return err
			}
			if len(got) != events*d.Connections {
				return fmt.Errorf("%d of %d chunks came from %s", len(got), events*d.Connections, way.url)
			}
			if i > 0 {
				*way.into = append(*way.into, got...)
			}
		}
	}
	d.Direct, d.Proxy = percentiles(viaServer), percentiles(viaProxy)
	return nil
}

// download reads a body of the given size.
func download(ctx context.Context, client *http.Client, url string, size int) (Pass, error) {
	began := time.Now()
	res, err := get(ctx, client, url, "")
	if err != nil {
		return Pass{}, err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err == nil && n != int64(size) {
		err = fmt.Errorf("%d of %d bytes came from %s", n, size, url)
	}
	return Pass{Bytes: uint64(n), Took: time.Since(began)}, err
}
