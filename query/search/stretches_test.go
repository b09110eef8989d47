package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/search"
	"tapedeck/schema"
)

// recorder is a connection that records the statements of a search.
type recorder struct {
	driver.Conn
	mu    sync.Mutex
	all   int
	lists []stretch
}

// stretch is an interval of time of which a statement listed the candidates.
type stretch struct{ from, until time.Time }

func (r *recorder) add(text string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all++
	if !strings.Contains(text, "AS of_span") {
		return
	}
	s := stretch{until: time.Unix(0, 1<<63-1).UTC()}
	for _, a := range args {
		if n, ok := a.(driver.NamedValue); ok {
			switch n.Name {
			case "from":
				s.from = time.Unix(0, n.Value.(int64)).UTC()
			case "until":
				s.until = time.Unix(0, n.Value.(int64)).UTC()
			}
		}
	}
	r.lists = append(r.lists, s)
}

func (r *recorder) Select(ctx context.Context, to any, text string, args ...any) error {
	r.add(text, args)
	return r.Conn.Select(ctx, to, text, args...)
}

func (r *recorder) Query(ctx context.Context, text string, args ...any) (driver.Rows, error) {
	r.add(text, args)
	return r.Conn.Query(ctx, text, args...)
}

// sparse are days with texts: three in ten years.
var sparse = []time.Time{
	time.Date(2016, time.January, 5, 23, 59, 59, 999_999_999, time.UTC),
	time.Date(2021, time.June, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC),
}

// addSparse adds the sessions s0 to s2, one on each sparse day, each with some texts "needle" and an
// error of a span, one nanosecond after another, and newer texts of another tenant. It returns the ids of all hits, newest first.
func addSparse(db *querytest.DB, texts int) []string {
	var all []string
	for i, at := range sparse {
		var messages []schema.Message
		for n := range texts {
			m := querytest.Said(fmt.Sprintf("m%02d", n), schema.MessageAssistant, "", "a needle", 0)
			m.Started = at.Add(-time.Duration(n) * time.Nanosecond).UnixNano()
			if i == 1 {
				m.Started = at.Add(time.Duration(texts-n) * time.Nanosecond).UnixNano()
			}
			m.Ended = m.Started
			messages = append(messages, m)
		}
		failed := querytest.Tool("failed", "bash", schema.StatusError, 0, 0)
		failed.Started, failed.Ended, failed.Error = messages[0].Started, messages[0].Started, "no needle"
		failed.SeenSeq = 500 // after the messages of the same time
		db.Add(querytest.Recording{Session: fmt.Sprint("s", i), Stream: i + 1, Messages: messages, Spans: []schema.Span{failed}})
		day := []string{fmt.Sprintf("s%d/failed", i)}
		for _, m := range messages {
			day = append(day, fmt.Sprintf("s%d/%s", i, m.ID))
		}
		all = append(day, all...)
	}
	other := querytest.Said("m", schema.MessageAssistant, "", "a needle", 0)
	other.Started = time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	other.Ended = other.Started
	db.Add(querytest.Recording{Tenant: db.Tenant + "-other", Session: "x", Stream: 20, Messages: []schema.Message{other}})
	return all
}

func names(items []search.Hit) []string {
	list := []string{}
	for _, h := range items {
		list = append(list, h.SessionID+"/"+h.ID)
	}
	return list
}

// A search reads only stretches of time that have texts of its tenant, from the newest to the oldest,
// however far apart they are and whatever range is asked for.
func TestStretchesHaveTexts(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	all := addSparse(db, 3)
	year := func(y int) time.Time { return time.Date(y, time.January, 1, 0, 0, 0, 0, time.UTC) }
	for _, tc := range []struct {
		name   string
		change func(*search.Query)
		days   []int // of sparse, that are searched
		most   int   // statements without a hit
	}{
		{"everything", func(*search.Query) {}, []int{2, 1, 0}, 6},
		{"from year 0 to year 9999", func(q *search.Query) { q.From, q.To = year(0), year(9999) }, []int{2, 1, 0}, 6},
		{"from 1969 to 2200", func(q *search.Query) { q.From, q.To = year(1969), year(2200) }, []int{2, 1, 0}, 6},
		{"before 2020", func(q *search.Query) { q.To = year(2020) }, []int{0}, 2},
		{"before the first nanosecond of a day", func(q *search.Query) { q.To = sparse[1] }, []int{0}, 2},
		{"from 2017", func(q *search.Query) { q.From = year(2017) }, []int{2, 1}, 4},
		{"from 2017 to 2022", func(q *search.Query) { q.From, q.To = year(2017), year(2022) }, []int{1}, 2},
		{"between", func(q *search.Query) { q.From, q.To = year(2017), year(2019) }, nil, 1},
		{"before all", func(q *search.Query) { q.To = year(2015) }, nil, 1},
		{"before 1970", func(q *search.Query) { q.To = year(1900) }, nil, 0},
		{"after all", func(q *search.Query) { q.From = year(2027) }, nil, 1},
		{"after 2262", func(q *search.Query) { q.From = year(5000) }, nil, 1},
		{"one session", func(q *search.Query) { q.Sessions = []string{"s1"} }, []int{1}, 2},
		{"two sessions", func(q *search.Query) { q.Sessions = []string{"s0", "s2"} }, []int{2, 0}, 4},
		{"no session", func(q *search.Query) { q.Sessions = []string{"x"} }, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := []string{}
			for _, h := range all {
				for _, d := range tc.days {
					if strings.HasPrefix(h, fmt.Sprintf("s%d/", d)) {
						want = append(want, h)
					}
				}
			}
			querytest.Equal(t, "hits", want, names(ask(t, db, query.NewReader(db.Conn), "needle", tc.change).Items))
			r := &recorder{Conn: db.Conn}
			none := ask(t, db, query.NewReader(r), "haystack", tc.change)
			if len(none.Items) > 0 || none.Partial || none.Next != nil {
				t.Errorf("without a hit: %+v", none)
			}
			if r.all > tc.most {
				t.Errorf("%d statements, at most %d expected", r.all, tc.most)
			}
			searched := make([]int, len(sparse))
			for _, s := range r.lists {
				empty := true
				for i, at := range sparse {
					first, last := at.Add(-2*time.Nanosecond), at
					if i == 1 {
						first, last = at.Add(time.Nanosecond), at.Add(3*time.Nanosecond)
					}
					if !s.from.After(last) && !s.until.Before(first) {
						searched[i]++
						empty = false
					}
				}
				if empty {
					t.Errorf("no text lies between %s and %s", s.from, s.until)
				}
			}
			for i := range sparse {
				if want := slices.Contains(tc.days, i); want != (searched[i] == 1) || !want && searched[i] > 0 {
					t.Errorf("%s was searched %d times", sparse[i], searched[i])
				}
			}
			t.Logf("%d statements, stretches %v", r.all, r.lists)
		})
	}
}

// A search that has no time still goes on: whoever follows next sees each hit once, and the end.
func TestNextAdvances(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	all := addSparse(db, 90)
	for i, tc := range []struct {
		text  string
		want  []string
		most  int // pages
		pages func(*search.Query)
	}{
		{"needle", all, 12, func(*search.Query) {}},
		{"needle", all, 30, func(q *search.Query) { q.Limit = 20 }},
		{"=>", []string{}, 4, func(*search.Query) {}},
		{"needle", []string{}, 4, func(q *search.Query) { q.Agents = []string{"none"} }},
		{"haystack", []string{}, 4, func(q *search.Query) { q.From = time.Date(2016, time.January, 5, 1, 0, 0, 0, time.UTC) }},
	} {
		for _, within := range []time.Duration{time.Nanosecond, 20 * time.Millisecond}[:max(1, 2-i)] {
			got, pages, cursor := []string{}, 0, ""
			searched := time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)
			for {
				page := ask(t, db, query.NewReader(db.Conn), tc.text, func(q *search.Query) {
					tc.pages(q)
					q.Within, q.Cursor = within, cursor
				})
				pages++
				got = append(got, names(page.Items)...)
				if page.Partial != (page.Reason != nil) || page.Partial && page.SearchedTo == nil {
					t.Errorf("%q within %s: page %d is %+v", tc.text, within, pages, page)
				}
				if page.SearchedTo != nil {
					if page.SearchedTo.After(searched) {
						t.Errorf("%q within %s: page %d went back to %s, after %s", tc.text, within, pages, page.SearchedTo, searched)
					}
					searched = *page.SearchedTo
				}
				if page.Next == nil {
					if page.Partial {
						t.Errorf("%q within %s: no way on from page %d, which is partial", tc.text, within, pages)
					}
					break
				}
				if *page.Next == cursor || pages > tc.most {
					t.Fatalf("%q within %s: no end after %d pages", tc.text, within, pages)
				}
				cursor = *page.Next
			}
			querytest.Equal(t, fmt.Sprintf("%q within %s", tc.text, within), tc.want, got)
			t.Logf("%q within %s: %d pages", tc.text, within, pages)
		}
	}
}

// SearchedTo is the time from which on all texts were searched, so that a search for earlier texts
// continues there.
func TestSearchedTo(t *testing.T) {
	db := querytest.Open(t)
	all := addSparse(db, 90)
	found := []string{}
	to := time.Time{}
	for range 20 {
		page := ask(t, db, query.NewReader(db.Conn), "needle", func(q *search.Query) { q.To, q.Within = to, time.Nanosecond })
		for _, name := range names(page.Items) {
			if !slices.Contains(found, name) { // of the time at which the search ended
				found = append(found, name)
			}
		}
		if !page.Partial {
			querytest.Equal(t, "all", all, found)
			return
		}
		to = *page.SearchedTo
	}
	t.Error("no end after 20 pages")
}
