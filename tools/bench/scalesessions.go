package bench

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/tools/bench/dataset"
)

// someSessions returns the paths of sessions throughout the data set.
func someSessions(s *scale) (list []string) {
	for i := range 12 {
		list = append(list, "/v1/sessions/"+dataset.SessionID(i*s.Data.Sessions/12))
	}
	return list
}

// longSessions returns the paths of a route of sessions with 10,000 frames, or of all sessions if
// the data set is too small to contain one.
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

// checkNames checks that an answer names the requested session.
func checkNames(_ *scale, path string, body []byte) error {
	if id := strings.Split(path, "/")[3]; !bytes.Contains(body, []byte(`"`+id+`"`)) {
		return fmt.Errorf("the answer does not name %s", id)
	}
	return nil
}

// burstName is the name of the measurement of concurrent requests.
const burstName = "50 searches and reports at once"

const burstRequests, burstMemory, burstAim = 50, 500 << 20, 200 << 20

// burst sends concurrent requests, each of which must be answered, and adds the bars for the memory
// that the API's process then has.
func (s *scale) burst(ctx context.Context, l *bars) (a Answers, err error) {
	s.Say(burstName + " …")
	a.Name = burstName
	list := slices.Concat(rareSearches(s), commonSearches(s), monthsBy("tag:team")(s), someSessions(s))
	took, sizes := make([]time.Duration, burstRequests), make([]int, burstRequests)
	peak := watchMemory(s.server.pid(), 5*time.Millisecond)
	a.API, a.ClickHouse, err = s.cpuOf(burstRequests, func() error {
		var group errgroup.Group
		for i := range burstRequests {
			group.Go(func() error {
				began := time.Now()
				body, err := s.server.read(ctx, list[i%len(list)])
				took[i], sizes[i] = time.Since(began), len(body)
				return err
			})
		}
		return group.Wait()
	})
	memory := float64(peak())
	a.Took, a.Largest = percentiles(took), slices.Max(sizes)
	name := "memory of the API during " + burstName
	l.atMost(name, "megabytes", memory > 0, memory, burstMemory)
	l.atMost(name+": the aim", "megabytes", memory > 0, memory, burstAim)
	return a, err
}
