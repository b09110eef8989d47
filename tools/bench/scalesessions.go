package bench

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/tools/bench/dataset"
)

// someSessions returns the paths of sessions from all of the data set.
func someSessions(s *scale) (list []string) {
	for i := range 12 {
		list = append(list, "/v1/sessions/"+dataset.SessionID(i*s.Data.Sessions/12))
	}
	return list
}

// longSessions returns the paths of what belongs to sessions of 10,000 frames, or of all where
// the data set is too small for one.
func longSessions(of string) func(*scale) []string {
	return func(s *scale) (list []string) {
		for n := dataset.LongSession; n < s.Data.Sessions && len(list) < 8; n += dataset.LongEvery {
			list = append(list, "/v1/sessions/"+dataset.SessionID(n)+of)
		}
		if list == nil {
			list = append(list, "/v1/sessions/"+dataset.SessionID(0)+of)
		}
		return list
	}
}

// checkNames checks that an answer is of the session that was asked for.
func checkNames(_ *scale, path string, body []byte) error {
	if id := strings.Split(path, "/")[3]; !bytes.Contains(body, []byte(`"`+id+`"`)) {
		return fmt.Errorf("the answer does not name %s", id)
	}
	return nil
}

// burst is the memory of the API's process while requests are answered at once.
type burst struct {
	timed
	most uint64 // bytes in RAM
}

const burstRequests, burstMemory, burstAim = 50, 500 << 20, 200 << 20

func newBurst() *burst {
	return &burst{timed: timed{name: "50 searches and reports at once", requests: func(s *scale) []string {
		return append(append(rareSearches(s), commonSearches(s)...), append(monthsBy("tag:team")(s), someSessions(s)...)...)
	}}}
}

// measure sends all requests at once. Each must be answered.
func (b *burst) measure(ctx context.Context, s *scale) error {
	paths := b.requests(s)
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for watching.Err() == nil {
			n, _ := resident(s.server.pid())
			b.most = max(b.most, n)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	api, engine := s.cpu()
	b.took = make(Delays, burstRequests)
	sizes := make([]int, burstRequests)
	var group errgroup.Group
	for i := range burstRequests {
		group.Go(func() error {
			body, took, err := s.get(ctx, paths[i%len(paths)])
			b.took[i], sizes[i] = took, len(body)
			return err
		})
	}
	err := group.Wait()
	stop()
	<-watched
	apiAfter, engineAfter := s.cpu()
	b.api, b.engine = (apiAfter-api)/burstRequests, (engineAfter-engine)/burstRequests
	for _, size := range sizes {
		b.size = max(b.size, size)
	}
	return err
}

func (b *burst) bars() []bar {
	text := func(x float64) string { return fmt.Sprintf("%.0f MB", x/1e6) }
	name := "memory of the API during " + b.name
	return []bar{
		atMost(name, b.most > 0, float64(b.most), burstMemory, text),
		atMost(name+": the aim", b.most > 0, float64(b.most), burstAim, text),
	}
}
