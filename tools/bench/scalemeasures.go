package bench

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"tapedeck/tools/bench/dataset"
)

// scaleMeasure is a measurement of how long requests take, one after another.
type scaleMeasure struct {
	name     string
	bar, aim time.Duration // for p95; 0 for none
	requests func(s *scale) []string
	check    func(s *scale, path string, body []byte) error // nil if nothing is checked
	// rest reads what is missing in an answer that ended at a limit of time; nil for routes
	// without such a limit.
	rest func(ctx context.Context, s *scale, path string, body []byte) (whole []byte, err error)
}

// scaleMeasures are all measurements of single requests.
var scaleMeasures = []scaleMeasure{
	{"usage with cost, 30 days by day × model × tag", 250 * time.Millisecond, 80 * time.Millisecond, monthsBy("tag:team"), checkDays, nil},
	{"usage with cost, a year by month × customer × model", 800 * time.Millisecond, 250 * time.Millisecond,
		paths(usagePath(dataset.Begin, dataset.End, "month", "tag:customer,model")), checkMonths, nil},
	{"sessions with cost, the newest, first page", 150 * time.Millisecond, 60 * time.Millisecond, paths("/v1/sessions?limit=50"), checkNewest, nil},
	{"sessions sorted by cost, first page", 150 * time.Millisecond, 60 * time.Millisecond, paths("/v1/sessions?sort=-cost&limit=50"), checkCostliest, nil},
	{"sessions filtered by cost, first page", 150 * time.Millisecond, 60 * time.Millisecond, func(s *scale) []string {
		return []string{"/v1/sessions?limit=50&min_cost=" + s.leastCost(), "/v1/sessions?limit=50&min_cost=0.05",
			"/v1/sessions?limit=50&max_cost=0.01"}
	}, checkFiltered, nil},
	{"search for a rare word or phrase", 500 * time.Millisecond, 100 * time.Millisecond, rareSearches, checkRare, wholeSearch},
	{"search for a common word with filters, newest first", 500 * time.Millisecond, 150 * time.Millisecond, commonSearches, checkCommon, wholeSearch},
	{"a session's summary", 60 * time.Millisecond, 30 * time.Millisecond, someSessions, checkNames, nil},
	{"timeline of a session of 10,000 frames", 200 * time.Millisecond, 60 * time.Millisecond, longSessions("/timeline"), nil, nil},
	{"transcript of a session of 10,000 frames", 200 * time.Millisecond, 60 * time.Millisecond, longSessions("/transcript"), nil, nil},
	// Without a bar: a tag of 200 values has fifty thousand rows in a month.
	{"usage with cost, 30 days by day × model × customer", 0, 0, monthsBy("tag:customer"), nil, nil},
}

// paths returns requests that do not depend on the data set.
func paths(list ...string) func(*scale) []string { return func(*scale) []string { return list } }

// monthsBy returns requests for periods of thirty days throughout the year.
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

// Answers holds how long the answers to some requests took. The CPU times are the average of one
// request.
type Answers struct {
	Name       string        `json:"name"`
	Took       Percentiles   `json:"took"`
	API        time.Duration `json:"api_cpu_ns"`
	ClickHouse time.Duration `json:"clickhouse_cpu_ns"`
	Largest    int           `json:"largest"` // size of the largest answer, bytes
}

// measure checks the answer to each request, which also fills caches, and then measures the
// requests in turn. It fails if an answer is wrong, and if a measured one is not complete.
func (m *scaleMeasure) measure(ctx context.Context, s *scale) (a Answers, err error) {
	a.Name = m.name
	list := m.requests(s)
	for _, path := range list {
		body, err := s.server.read(ctx, path)
		if err == nil && m.rest != nil {
			body, err = m.rest(ctx, s, path, body)
		}
		if err == nil && m.check != nil {
			err = m.check(s, path, body)
		}
		if err != nil {
			return a, fmt.Errorf("%s: %w", path, err)
		}
		a.Largest = max(a.Largest, len(body))
	}
	took := make([]time.Duration, s.Requests)
	a.API, a.ClickHouse, err = s.cpuOf(s.Requests, func() error {
		for i := range took {
			began := time.Now()
			path := list[i%len(list)]
			body, err := s.server.read(ctx, path)
			if err != nil {
				return err
			}
			took[i] = time.Since(began)
			if m.rest != nil && partial(body) {
				return fmt.Errorf("%s: ended at its limit after %v: not a figure", path, took[i])
			}
		}
		return nil
	})
	a.Took = percentiles(took)
	return a, err
}

// cpuOf returns the CPU times of the API's process and of ClickHouse for each of n requests; 0 if
// they are unknown.
func (s *scale) cpuOf(n int, send func() error) (api, engine time.Duration, err error) {
	now := func() (api, engine time.Duration) {
		api, _ = cpuOf(s.server.pid())
		engine, _ = cpuOf(s.servers.Health().ClickHouse.PID)
		return api, engine
	}
	api0, engine0 := now()
	err = send()
	api1, engine1 := now()
	return (api1 - api0) / time.Duration(n), (engine1 - engine0) / time.Duration(n), err
}

func (m *scaleMeasure) bars(l *bars, a Answers) {
	if m.bar > 0 {
		l.within(m.name+", p95", true, a.Took.P95, m.bar)
		l.within(m.name+": the aim", true, a.Took.P95, m.aim)
	}
}
