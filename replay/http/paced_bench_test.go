package replayhttp_test

import (
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	replayhttp "tapedeck/replay/http"

	"tapedeck/internal/bounded"
)

// BenchmarkPaced plays many sessions at the recorded speed at the same time, for
// two seconds, and measures what a frame costs in processor time, the clients in
// the same process included, which read and look at nothing.
func BenchmarkPaced(b *testing.B) {
	const sessions, frames = 200, 200
	tape := paced(frames)
	srv := serve(b, replayhttp.Options{Library: tape})
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	began, rounds := spent(b), 0
	for b.Loop() {
		var listening sync.WaitGroup
		for range sessions {
			listening.Go(func() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address(srv.URL, ""), nil)
				if err != nil {
					b.Error(err)
					return
				}
				req.Header.Set("Accept", "text/event-stream")
				res, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				defer res.Body.Close()
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					b.Error(err)
				}
			})
		}
		bounded.Wait(b, listening.Wait)
		rounds++
	}
	b.ReportMetric(float64((spent(b)-began).Microseconds())/float64(rounds*sessions*frames), "cpu-µs/frame")
}

// spent returns the processor time that this process took so far.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
