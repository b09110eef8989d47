package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

const bulk = 4 << 20 // more than queues hold in these tests

func bulky() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/small" {
			io.WriteString(w, "small")
			return
		}
		io.WriteString(w, strings.Repeat("0123456789abcde\n", bulk/16))
	})
}

// A recorder that is stuck costs an exchange its recording, and no more time
// than the proxy's timeout.
func TestOverload(t *testing.T) {
	metrictest.Grow(t, "tapedeck_proxy_exchanges_total", "tapedeck_proxy_bytes_total", "tapedeck_proxy_overloads_total", "tapedeck_proxy_unrecorded_bytes_total", "tapedeck_proxy_unrecorded_frames_total")
	s := start(t, bulky(), func(o *Options) {
		o.QueueBytes, o.Timeout = 256<<10, 100*time.Millisecond
	})
	reads, bytes, over := testutil.ToFloat64(missedFrames), testutil.ToFloat64(missedBytes), testutil.ToFloat64(overloads)
	s.memory.Stall()
	began := time.Now()
	if _, body := s.do(t, s.request(t, "GET", "/", "")); len(body) != bulk {
		t.Fatalf("the client got %d bytes", len(body))
	}
	took := time.Since(began)
	if took < 100*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	speedtest.Within(t, "the exchange", took, 20*time.Second)
	metrictest.Show(t, "tapedeck_proxy_queue_bytes")
	s.memory.Resume()
	r := s.one(t)
	got := r.body(schema.Receive)
	if !strings.HasPrefix(r.state.EndReason, "error: recorder overloaded: the last ") || len(got) == 0 || len(got) == bulk ||
		got != strings.Repeat("0123456789abcde\n", bulk/16)[:len(got)] {
		t.Errorf("%d bytes recorded, ended %q", len(got), r.state.EndReason)
	}
	if n := testutil.ToFloat64(missedBytes) - bytes; n != float64(bulk-len(got)) {
		t.Errorf("%v bytes counted as missed, %d are", n, bulk-len(got))
	}
	if testutil.ToFloat64(missedFrames) == reads || testutil.ToFloat64(overloads) != over+1 {
		t.Error("not counted")
	}
	// The next one is recorded again.
	s.do(t, s.request(t, "GET", "/small", ""))
	if again := s.recorded(t, 2)[1]; again.body(schema.Receive) != "small" || again.state.EndReason != "eof" {
		t.Errorf("%q recorded of the next exchange, ended %q", again.body(schema.Receive), again.state.EndReason)
	}
}

// What waits is bounded over all exchanges, recordings that only wait for their
// end included.
func TestOverloadInAll(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }), func(o *Options) {
		o.TotalBytes, o.Timeout = 4*(recordingWeight+2000), -1
	})
	over := testutil.ToFloat64(overloads)
	s.memory.Stall()
	const n = 20
	for range n {
		if _, body := s.do(t, s.request(t, "GET", "/", "")); body != "ok" {
			t.Fatalf("got %q", body)
		}
	}
	missed := int(testutil.ToFloat64(overloads) - over)
	if missed < n-5 || missed >= n {
		t.Errorf("%d of %d exchanges counted as not recorded", missed, n)
	}
	s.memory.Resume()
	for _, r := range s.recorded(t, n-missed) {
		if r.state.EndReason != "eof" || r.body(schema.Receive) != "ok" {
			t.Errorf("%q, ended %q", r.body(schema.Receive), r.state.EndReason)
		}
	}
}

// A strict proxy holds exchanges up for as long as it takes.
func TestStrictWaits(t *testing.T) {
	s := start(t, bulky(), func(o *Options) {
		o.Strict, o.QueueBytes, o.Timeout = true, 256<<10, time.Millisecond
	})
	s.memory.Stall()
	began := time.Now()
	time.AfterFunc(500*time.Millisecond, s.memory.Resume)
	if _, body := s.do(t, s.request(t, "GET", "/", "")); len(body) != bulk {
		t.Fatalf("the client got %d bytes", len(body))
	}
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("it took %v only", took)
	}
	if r := s.one(t); len(r.body(schema.Receive)) != bulk || r.state.EndReason != "eof" {
		t.Errorf("%d bytes recorded, ended %q", len(r.body(schema.Receive)), r.state.EndReason)
	}
}

// A recorder that fails: exchanges go on, but for a strict proxy, which cuts
// them off, and answers the next ones with 503 as long as that is not known.
func TestRecorderFails(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprint("strict ", strict), func(t *testing.T) {
			s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for i := range 40 {
					if _, err := fmt.Fprintf(w, "piece %d\n", i); err != nil {
						return
					}
					http.NewResponseController(w).Flush()
					time.Sleep(10 * time.Millisecond) // the recorder fails while the exchange goes on
				}
			}), func(o *Options) { o.Strict = strict })
			s.memory.Refuse(errors.New("the disk is full"))
			res, err := s.client.Do(s.request(t, "GET", "/", ""))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Body.Close()
			if whole := err == nil && strings.HasSuffix(string(got), "piece 39\n"); whole == strict {
				t.Errorf("the client got %d bytes, %v", len(got), err)
			}
		})
	}
}

// A strict proxy with no room for one more exchange does not begin it.
func TestStrictRefuses(t *testing.T) {
	s := start(t, bulky(), func(o *Options) { o.Strict, o.TotalBytes = true, recordingWeight-1 })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if res, err := s.client.Do(s.request(t, "GET", "/", "").WithContext(ctx)); err == nil {
		res.Body.Close()
		t.Errorf("answered with %s", res.Status)
	}
}
