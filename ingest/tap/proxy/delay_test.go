package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
)

// taken is a publisher that costs nothing: what is measured is the proxy.
type taken struct{}

func (taken) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go done(nil)
	return nil
}

// BenchmarkAddedDelay measures how much later an event is with a client because
// of the proxy: the time from before its write at the upstream to after its read
// at the client, directly, through a reverse proxy that does not record, and
// through the recording proxy. Reported are percentiles in µs, and what the
// recording proxy adds to going directly. Events have about 200 bytes.
func BenchmarkAddedDelay(b *testing.B) {
	b.Run("1 connection, 500 events a second", func(b *testing.B) { addedDelay(b, 1, 2*time.Millisecond) })
	b.Run("20 connections, 50 events a second each", func(b *testing.B) { addedDelay(b, 20, 20*time.Millisecond) })
}

func addedDelay(b *testing.B, connections int, gap time.Duration) {
	began := time.Now()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ticking(w, r, began, gap) }))
	defer up.Close()
	target, err := url.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	bare := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, FlushInterval: -1,
	})
	defer bare.Close()
	p, err := New(Options{Upstream: up.URL, Recorder: ingest.NewRecorder(taken{}, ingest.Settings{})})
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(p)
	defer func() {
		front.Close()
		if err := p.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	defer transport.CloseIdleConnections()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	client := &http.Client{Transport: transport}

	ways := []struct{ name, url string }{{"direct", up.URL}, {"bare", bare.URL}, {"proxy", front.URL}}
	delays := make([][]time.Duration, len(ways))
	const round = 50
	for done := -round; done < b.N; done += round { // by turns, so that a busy machine is so for all
		for i, way := range ways {
			got := listenAll(b, client, way.url, connections, round, began)
			if done >= 0 {
				delays[i] = append(delays[i], got...)
			}
		}
	}
	for _, q := range []float64{0.5, 0.99} {
		var at [3]float64
		for i, way := range ways {
			slices.Sort(delays[i])
			at[i] = float64(delays[i][int(q*float64(len(delays[i])-1))].Nanoseconds()) / 1e3
			b.ReportMetric(at[i], fmt.Sprintf("%s-p%d-µs", way.name, int(q*100)))
		}
		b.ReportMetric(at[2]-at[0], fmt.Sprintf("added-p%d-µs", int(q*100)))
	}
	b.ReportMetric(0, "ns/op")
}

// ticking sends as many events as its query says, each with its time since began.
func ticking(w http.ResponseWriter, r *http.Request, began time.Time, gap time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	n, _ := strconv.Atoi(r.URL.RawQuery)
	time.Sleep(rand.N(gap)) // so that connections do not all send at once
	tick := time.NewTicker(gap)
	defer tick.Stop()
	for range n {
		<-tick.C
		fmt.Fprintf(w, "data: {\"t\":%d,\"pad\":\"%0170d\"}\n\n", time.Since(began), n)
		rc.Flush()
	}
}

// listenAll returns the delays of the events on a number of connections.
func listenAll(b *testing.B, client *http.Client, base string, connections, events int, began time.Time) (all []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() {
			res, err := client.Get(base + "/?" + strconv.Itoa(events))
			if err != nil {
				b.Error(err)
				return
			}
			defer res.Body.Close()
			var delays []time.Duration
			for in := bufio.NewReader(res.Body); ; {
				line, err := in.ReadString('\n')
				if err == io.EOF {
					break
				} else if err != nil {
					b.Error(err)
					return
				}
				now := time.Since(began)
				if digits, ok := strings.CutPrefix(line, `data: {"t":`); ok {
					digits, _, _ = strings.Cut(digits, ",")
					sent, _ := strconv.ParseInt(digits, 10, 64)
					delays = append(delays, now-time.Duration(sent))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, delays...)
		})
	}
	bounded.Wait(b, wg.Wait)
	return all
}

// BenchmarkThroughput streams 64 MiB through the proxy, recorded.
func BenchmarkThroughput(b *testing.B) {
	const size = 64 << 20
	block := make([]byte, 64<<10)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for n := 0; n < size; n += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer up.Close()
	p, err := New(Options{Upstream: up.URL, Recorder: ingest.NewRecorder(taken{}, ingest.Settings{})})
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(p)
	defer func() {
		front.Close()
		if err := p.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, base := range []struct{ name, url string }{{"direct", up.URL}, {"proxy", front.URL}} {
		b.Run(base.name, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				res, err := client.Get(base.url)
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err != nil || n != size {
					b.Fatal(n, err)
				}
			}
		})
	}
}
