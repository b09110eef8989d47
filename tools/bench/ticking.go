package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ticking answers with as many events as the query requests, at the requested interval. Each event
// has the time since began at which it was written.
func ticking(w http.ResponseWriter, r *http.Request, began time.Time) {
	events, pace, _ := strings.Cut(r.URL.RawQuery, "&")
	n, err := strconv.Atoi(events)
	gap, err2 := time.ParseDuration(pace)
	if err != nil || err2 != nil || gap <= 0 {
		http.Error(w, "the query is to be EVENTS&GAP", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	time.Sleep(rand.N(gap)) // so that connections do not all send at once
	tick := time.NewTicker(gap)
	defer tick.Stop()
	for range n {
		<-tick.C
		if _, err := fmt.Fprintf(w, "data: {\"t\":%d,\"pad\":\"%0170d\"}\n\n", time.Since(began), n); err != nil {
			return
		}
		if out.Flush() != nil {
			return
		}
	}
}

// listenAll returns the delays of the events on a number of connections.
func listenAll(ctx context.Context, client *http.Client, url string, connections int, began time.Time) ([]time.Duration, error) {
	var (
		mu   sync.Mutex // guards all and errs
		all  []time.Duration
		errs []error
		wg   sync.WaitGroup
	)
	for range connections {
		wg.Go(func() {
			delays, err := listen(ctx, client, url, began)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, delays...)
			if err != nil {
				errs = append(errs, err)
			}
		})
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

func listen(ctx context.Context, client *http.Client, url string, began time.Time) (delays []time.Duration, err error) {
	res, err := get(ctx, client, url, "")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	for in := bufio.NewReader(res.Body); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return delays, nil
		} else if err != nil {
			return delays, err
		}
		now := time.Since(began)
		if digits, ok := strings.CutPrefix(line, `data: {"t":`); ok {
			digits, _, _ = strings.Cut(digits, ",")
			sent, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return delays, err
			}
			delays = append(delays, now-time.Duration(sent))
		}
	}
}
