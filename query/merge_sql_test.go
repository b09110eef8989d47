package query_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/timeline"
	"tapedeck/schema"
)

// The list puts spans together in SQL, the page of a session does so in Go:
// whatever the views, they say the same.
func TestListAndPageAgree(t *testing.T) {
	db := querytest.Open(t)
	random := rand.New(rand.NewPCG(1, 2))
	statuses := []schema.Status{
		schema.StatusOpen, schema.StatusWaiting, schema.StatusUnclosed, schema.StatusOK, schema.StatusError, schema.StatusCancelled,
	}
	const sessions = 60
	var all []querytest.Recording
	for n := range sessions {
		for stream := range 3 {
			r := querytest.Recording{Session: fmt.Sprintf("s%02d", n), Stream: n*3 + stream + 1, Live: random.IntN(4) == 0}
			r.State.Recorder = []string{"alive", "gone"}[random.IntN(2)]
			begin := float64(n % 2 * 35)
			for range random.IntN(5) {
				s := querytest.Span([]schema.SpanKind{schema.SpanRun, schema.SpanTool, schema.SpanLLM}[random.IntN(3)],
					"", "", []string{"", "bash"}[random.IntN(2)], statuses[random.IntN(len(statuses))], begin+float64(random.IntN(3)), 0)
				s.ID = string(s.Kind) + fmt.Sprint(random.IntN(3))
				s.Agent, s.Model = []string{"", "a", "b"}[random.IntN(3)], []string{"", "m"}[random.IntN(2)]
				if s.Status.Ended() {
					s.Ended = querytest.AtSecond(begin + float64(4+random.IntN(3)))
				}
				s.SeenAt, s.SeenSeq, s.Version = querytest.AtSecond(begin+float64(random.IntN(3))), uint64(len(r.Spans)), uint64(1+len(r.Spans)+stream%2)
				r.Spans = append(r.Spans, s)
			}
			all = append(all, r)
		}
	}
	db.Add(all...)
	r := querytest.Reader(db, 50, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(context.Background(), r, sessionlist.Query{Tenant: db.Tenant, Limit: 100}))
	if len(page.Items) != sessions {
		t.Fatalf("%d sessions, want %d", len(page.Items), sessions)
	}
	report := querytest.Must[*toolreport.Report](t)(toolreport.Read(context.Background(), r, toolreport.Query{Tenant: db.Tenant, GroupBy: []string{"session"}}))
	reported := map[string]toolreport.Times{}
	for _, row := range report.Items {
		reported[*row.Group["session"]] = row.Times
	}
	seen := map[sessionhead.Status]int{}
	for _, s := range page.Items {
		d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(context.Background(), r, db.Tenant, s.ID))
		if diff := gocmp.Diff(s.Head, d.Head); diff != "" {
			t.Errorf("session %s (-list +page):\n%s", s.ID, diff)
		}
		if d.Totals.Runs != s.Runs || uint64(len(d.Runs)) != s.Runs {
			t.Errorf("session %s: %d runs in the list, %d on the page of %d", s.ID, s.Runs, d.Totals.Runs, len(d.Runs))
		}
		querytest.Equal(t, "tools of session "+s.ID+" in the timeline and the report",
			toolEnds(querytest.Must[*timeline.Timeline](t)(timeline.Read(context.Background(), r, db.Tenant, s.ID))), fewTimes(reported[s.ID]))
		seen[s.Status]++
	}
	if len(seen) != len(sessionhead.Statuses) {
		t.Errorf("only %v came up", seen)
	}
}

// fewTimes is the part of a report's row that toolEnds counts up.
func fewTimes(t toolreport.Times) string {
	low, high := 0.0, 0.0
	if t.Timed > 0 {
		low = *t.MinMS
	}
	if t.MaxMS != nil {
		high = *t.MaxMS
	}
	return fmt.Sprintf("%d calls, %d errors, %d running, %d timed, %g to %g ms", t.Calls, t.Errors, t.Running, t.Timed, low, high)
}

// toolEnds counts the tool calls of a timeline up.
func toolEnds(tl *timeline.Timeline) string {
	var times toolreport.Times
	var count func(list []*timeline.Span)
	count = func(list []*timeline.Span) {
		for _, s := range list {
			count(s.Children)
			if s.Kind != string(schema.SpanTool) {
				continue
			}
			times.Calls++
			if s.Status == string(schema.StatusError) {
				times.Errors++
			}
			if ms := s.DurationMS; ms != nil {
				if times.Timed == 0 {
					times.MinMS = querytest.Ptr(*ms)
				}
				times.Timed++
				times.MinMS = querytest.Ptr(min(*times.MinMS, *ms))
			}
			if ms := s.RunningMS; ms != nil {
				times.Running++
			}
			if ms := cmp.Or(s.DurationMS, s.RunningMS); ms != nil && (times.MaxMS == nil || *ms > *times.MaxMS) {
				times.MaxMS = ms
			}
		}
	}
	count(tl.Spans)
	return fewTimes(times)
}
