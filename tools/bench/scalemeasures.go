package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tapedeck/tools/bench/dataset"
)

// scaleMeasure is one measurement on the data set.
type scaleMeasure interface {
	title() string
	// measure takes the figures. It fails if an answer is wrong.
	measure(ctx context.Context, s *scale) error
	// write writes a row of the report.
	write(p *page)
	bars() []bar
}

// scaleMeasures lists all.
func scaleMeasures() []scaleMeasure {
	return []scaleMeasure{
		&timed{
			name: "usage with cost, 30 days by day × model × tag", bar: 250 * time.Millisecond, aim: 80 * time.Millisecond,
			requests: monthsBy("tag:team"), check: checkDays,
		},
		&timed{
			name: "usage with cost, a year by month × customer × model", bar: 800 * time.Millisecond, aim: 250 * time.Millisecond,
			requests: func(*scale) []string {
				return []string{usagePath(dataset.Begin, dataset.End, "month", "tag:customer,model")}
			},
			check: checkMonths,
		},
		&timed{
			name: "sessions with cost, the newest, first page", bar: 150 * time.Millisecond, aim: 60 * time.Millisecond,
			requests: func(*scale) []string { return []string{"/v1/sessions?limit=50"} }, check: checkNewest,
		},
		&timed{
			name: "sessions sorted by cost, first page", bar: 150 * time.Millisecond, aim: 60 * time.Millisecond,
			requests: func(*scale) []string { return []string{"/v1/sessions?sort=-cost&limit=50"} }, check: checkCostliest,
		},
		&timed{
			name: "sessions filtered by cost, first page", bar: 150 * time.Millisecond, aim: 60 * time.Millisecond,
			requests: func(s *scale) []string {
				return []string{"/v1/sessions?limit=50&min_cost=" + s.leastCost(), "/v1/sessions?limit=50&min_cost=0.05", "/v1/sessions?limit=50&max_cost=0.01"}
			},
			check: checkFiltered,
		},
		&timed{
			name: "search for a rare word or phrase", bar: 500 * time.Millisecond, aim: 100 * time.Millisecond,
			requests: rareSearches, check: checkRare,
		},
		&timed{
			name: "search for a common word with filters, newest first", bar: 500 * time.Millisecond, aim: 150 * time.Millisecond,
			requests: commonSearches, check: checkCommon,
		},
		&timed{
			name: "a session's summary", bar: 60 * time.Millisecond, aim: 30 * time.Millisecond,
			requests: someSessions, check: checkNames,
		},
		&timed{
			name: "timeline of a session of 10,000 frames", bar: 200 * time.Millisecond, aim: 60 * time.Millisecond,
			requests: longSessions("/timeline"),
		},
		&timed{
			name: "transcript of a session of 10,000 frames", bar: 200 * time.Millisecond, aim: 60 * time.Millisecond,
			requests: longSessions("/transcript"),
		},
		// Without a bar: a tag of 200 values has fifty thousand rows in a month.
		&timed{name: "usage with cost, 30 days by day × model × customer", requests: monthsBy("tag:customer")},
		newBurst(),
	}
}

// monthsBy returns requests for thirty days each, all over the year.
func monthsBy(tag string) func(*scale) []string {
	return func(*scale) (list []string) {
		for from := dataset.Begin; !from.AddDate(0, 0, 30).After(dataset.End); from = from.AddDate(0, 0, 30) {
			list = append(list, usagePath(from, from.AddDate(0, 0, 30), "day", "model,"+tag))
		}
		return list
	}
}

func usagePath(from, to time.Time, granularity, groups string) string {
	return "/v1/usage?" + url.Values{
		"from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}, "granularity": {granularity}, "group_by": {groups},
	}.Encode()
}

// timed is how long requests take, one after another.
type timed struct {
	name     string
	bar, aim time.Duration // of p95; 0 for none
	requests func(s *scale) []string
	check    func(s *scale, path string, body []byte) error // nil if nothing is checked
	took     Delays
	size     int           // of the largest answer, bytes
	api      time.Duration // CPU time of a request in the API's process
	engine   time.Duration // in ClickHouse
}

func (t *timed) title() string { return t.name }

// measure checks the answer to each of the requests, which also fills caches, and then
// measures them in turn.
func (t *timed) measure(ctx context.Context, s *scale) error {
	paths := t.requests(s)
	for _, path := range paths {
		body, _, err := s.get(ctx, path)
		if err == nil && t.check != nil {
			err = t.check(s, path, body)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		t.size = max(t.size, len(body))
	}
	api, engine := s.cpu()
	for i := range s.Requests {
		_, took, err := s.get(ctx, paths[i%len(paths)])
		if err != nil {
			return err
		}
		t.took = append(t.took, took)
	}
	apiAfter, engineAfter := s.cpu()
	t.api, t.engine = (apiAfter-api)/time.Duration(s.Requests), (engineAfter-engine)/time.Duration(s.Requests)
	return nil
}

// cpu returns the CPU time that the API's process and ClickHouse took so far; 0 where that
// is not known.
func (s *scale) cpu() (api, engine time.Duration) {
	api, _ = cpuOf(s.server.pid())
	engine, _ = cpuOf(s.servers.Health().ClickHouse.PID)
	return api, engine
}

func (t *timed) write(p *page) {
	p.row(t.name, count(float64(len(t.took))), millis(t.took.At(0.5)), millis(t.took.At(0.95)), millis(t.took.At(1)),
		millis(t.api), millis(t.engine), fmt.Sprintf("%.1f MB", float64(t.size)/1e6))
}

func (t *timed) bars() []bar {
	if t.bar == 0 {
		return nil
	}
	text := func(x float64) string { return millis(time.Duration(x)) }
	worst := float64(t.took.At(0.95))
	return []bar{
		atMost(t.name+", p95", len(t.took) > 0, worst, float64(t.bar), text),
		atMost(t.name+": the aim", len(t.took) > 0, worst, float64(t.aim), text),
	}
}

// get requests a path of the API and returns the answer, and how long it took until all of
// it was read.
func (s *scale) get(ctx context.Context, path string) (body []byte, took time.Duration, err error) {
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.url+path, nil)
	if err != nil {
		return nil, 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	body, err = io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, 0, err
	}
	took = time.Since(began)
	if resp.StatusCode != http.StatusOK {
		return nil, took, fmt.Errorf("GET %s: %s: %s", path, resp.Status, body)
	}
	return body, took, nil
}
