package sessiontotals_test

import (
	"fmt"
	"testing"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/sessiontotals"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Nine sessions s0 to s8: sN has N calls of 10·N tokens each, begins at minute N and has the tag of
// its parity; every third one failed.
func nine() []querytest.Recording {
	var list []querytest.Recording
	for n := range 9 {
		start := float64(60 * n)
		status := schema.StatusOK
		if n%3 == 0 {
			status = schema.StatusError
		}
		r := querytest.Recording{
			Session: fmt.Sprintf("s%d", n), Stream: n + 1,
			State: schema.StreamState{
				FirstAt: querytest.AtSecond(start), LastAt: querytest.AtSecond(start + 1),
				Tags: map[string]string{"parity": []string{"even", "odd"}[n%2]},
			},
			Spans: []schema.Span{querytest.Run("r", status, start, start+1)},
		}
		for i := range n {
			r.Usages = append(r.Usages, querytest.Used(fmt.Sprint("u", i), "gpt-5", start, schema.Tokens{Input: uint64(10 * n)}))
		}
		list = append(list, r)
	}
	return list
}

// Totals have the number of sessions of the list, and the sum of their tokens.
func TestTotals(t *testing.T) {
	db := querytest.Open(t)
	db.Add(nine()...)
	db.Add(nine()[4]) // a row that is stored twice
	r := querytest.Reader(db, 1e6)
	odd := sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "parity", Value: "odd"}}}
	for name, tc := range map[string]struct {
		filter   sessionfilter.Filter
		sessions []int
	}{
		"all":               {sessionfilter.Filter{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		"a tag":             {odd, []int{1, 3, 5, 7}},
		"failed":            {sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed}}, []int{0, 3, 6}},
		"in a range":        {sessionfilter.Filter{From: querytest.When(120), To: querytest.When(300)}, []int{2, 3, 4}},
		"many tokens":       {sessionfilter.Filter{MinTokens: 360}, []int{6, 7, 8}},
		"none":              {sessionfilter.Filter{Text: "no such session"}, nil},
		"without any usage": {sessionfilter.Filter{Text: "s0"}, []int{0}},
	} {
		totals := querytest.Must[*sessiontotals.Totals](t)(sessiontotals.Read(t.Context(), r, sessiontotals.Query{Tenant: db.Tenant, Filter: tc.filter}))
		var tokens, calls int
		for _, n := range tc.sessions {
			tokens, calls = tokens+10*n*n, calls+n
		}
		if totals.Sessions != len(tc.sessions) || totals.More || int(totals.Spent.Tokens.Total) != tokens || int(totals.Spent.Calls) != calls {
			t.Errorf("%s: %d sessions, more: %t, %d tokens, %d calls; want %d, false, %d, %d",
				name, totals.Sessions, totals.More, totals.Spent.Tokens.Total, totals.Spent.Calls, len(tc.sessions), tokens, calls)
		}
		page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Limit: 100}))
		querytest.Equal(t, name+": the list", len(page.Items), totals.Sessions)
	}
}

// Of more sessions than the bound there is the bound, and no sum.
func TestTotalsAreBounded(t *testing.T) {
	db := querytest.Open(t)
	db.Add(nine()...)
	r := querytest.Reader(db, 1e6)
	for most, want := range map[int]string{8: "8 true", 9: "9 false"} {
		totals := querytest.Must[*sessiontotals.Totals](t)(sessiontotals.Read(t.Context(), r, sessiontotals.Query{Tenant: db.Tenant, Most: most}))
		querytest.Equal(t, fmt.Sprint("up to ", most), want, fmt.Sprint(totals.Sessions, " ", totals.More))
		if (totals.Spent == nil) != totals.More {
			t.Errorf("up to %d: spent %v", most, totals.Spent)
		}
	}
	failed := sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed}}
	totals := querytest.Must[*sessiontotals.Totals](t)(sessiontotals.Read(t.Context(), r, sessiontotals.Query{Tenant: db.Tenant, Filter: failed, Most: 2}))
	querytest.Equal(t, "failed, up to 2", "2 true", fmt.Sprint(totals.Sessions, " ", totals.More))
}
