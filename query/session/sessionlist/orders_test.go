package sessionlist_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// spenders is sessions of one to three streams, many of which used as many tokens
// or lasted as long as others: written once, anew, by several streams, as running
// totals, or none at all.
func spenders(n int) []querytest.Recording {
	random := rand.New(rand.NewPCG(7, 8))
	var list []querytest.Recording
	for i := range n {
		mode := []schema.UsageMode{schema.UsageAdd, schema.UsageAdd, schema.UsageRunning}[random.IntN(3)]
		for stream := range 1 + max(0, random.IntN(5)-2) {
			start := float64(i*100 + stream*random.IntN(20))
			r := querytest.Recording{Session: fmt.Sprintf("s%02d", i*37%n), Stream: 3*i + stream + 1}
			r.State.FirstAt, r.State.LastAt = querytest.AtSecond(start), querytest.AtSecond(start+float64(random.IntN(6)))
			r.Spans = []schema.Span{querytest.Run("r", schema.StatusOK, start, start+1)}
			r.Spans[0].Agent = []string{"a", "b"}[i%2]
			for record := range random.IntN(4) {
				u := querytest.Used(fmt.Sprint("u", random.IntN(3)), []string{"gpt-5", "m", "gpt-5-mini"}[i%3], start+float64(record), schema.Tokens{Input: uint64(10 * random.IntN(4)), Output: 5})
				if mode == schema.UsageRunning {
					u.Mode, u.Scope = mode, "thread"
				}
				u.SeenSeq, u.Version = uint64(record), uint64(record+1)
				r.Usages = append(r.Usages, u)
			}
			list = append(list, r)
		}
	}
	return list
}

// Pages by tokens and by duration hold what a list of all sessions does, in order,
// whichever way they are found.
func TestSessionOrdersByPages(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	db.Add(spenders(24)...)
	t.Run("unmerged, too many of several rows", func(t *testing.T) {
		checkOrders(t, db, sessionfilter.Limits{Spare: 1, SeveralRows: 2})
	})
	db.Merge()
	for _, table := range []string{"streams", "usage"} {
		db.Exec("OPTIMIZE TABLE " + table + " FINAL")
	}
	t.Run("merged", func(t *testing.T) {
		checkOrders(t, db, sessionfilter.Limits{Spare: -1})
	})
}

func checkOrders(t *testing.T, db *querytest.DB, limits sessionfilter.Limits) {
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		name   string
		filter sessionfilter.Filter
	}{
		{"all", sessionfilter.Filter{}},
		{"from 5 to 40 tokens", sessionfilter.Filter{MinTokens: 5, MaxTokens: querytest.Ptr[int64](40)}},
		{"of an agent, in a range", sessionfilter.Filter{Agents: []string{"a"}, From: querytest.When(300), To: querytest.When(2100)}},
		{"in a range", sessionfilter.Filter{From: querytest.When(310), To: querytest.When(2100)}},
		{"from 2 to 9 s", sessionfilter.Filter{MinDuration: 2 * time.Second, MaxDuration: 9 * time.Second}},
		{"fine ones", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Fine}}},
	} {
		q := sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Limit: 100, Limits: limits}
		all := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q)).Items
		if len(all) < 4 {
			t.Fatalf("%s: only %d sessions", tc.name, len(all))
		}
		for sort, key := range map[sessionfilter.Sort]func(s *sessionhead.Summary) float64{
			"tokens":   func(s *sessionhead.Summary) float64 { return float64(s.Tokens.Total) },
			"duration": func(s *sessionhead.Summary) float64 { return s.DurationMS },
		} {
			slices.SortFunc(all, func(x, y sessionhead.Summary) int {
				return cmp.Or(cmp.Compare(key(&x), key(&y)), cmp.Compare(x.ID, y.ID))
			})
			want := lineOf(all, key)
			slices.Reverse(all)
			for sort, want := range map[sessionfilter.Sort]string{sort: want, "-" + sort: lineOf(all, key)} {
				q.Sort, q.Limit = sort, 9
				querytest.Equal(t, fmt.Sprintf("%s by %s", tc.name, sort), want, lineOf(pages(t, r, q), key))
			}
		}
	}
}

// pages returns the items of all pages.
func pages(t *testing.T, r *query.Reader, q sessionlist.Query) []sessionhead.Summary {
	t.Helper()
	var items []sessionhead.Summary
	for {
		page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
		items = append(items, page.Items...)
		if page.Next == nil {
			return items
		}
		if len(page.Items) != q.Limit {
			t.Fatalf("a page of %d with another after it, limit %d", len(page.Items), q.Limit)
		}
		q.Cursor = *page.Next
	}
}

func lineOf(sessions []sessionhead.Summary, key func(s *sessionhead.Summary) float64) string {
	var b strings.Builder
	for i := range sessions {
		fmt.Fprintf(&b, "%s:%g ", sessions[i].ID, key(&sessions[i]))
	}
	return b.String()
}
