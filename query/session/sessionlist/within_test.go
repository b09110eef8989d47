package sessionlist_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// With a filter that only summaries tell, a page ends in time although it is not full, and the next one
// goes on. A page that would be empty is refused. Each page checks 200 sessions at least.
func TestWithin(t *testing.T) {
	const sessions = 250
	db := querytest.Open(t)
	var list []querytest.Recording
	for i := range sessions {
		r := querytest.Recording{Session: fmt.Sprintf("s%03d", i), Stream: i + 1}
		r.State.FirstAt, r.State.LastAt = querytest.AtSecond(float64(i)), querytest.AtSecond(float64(i)+1)
		if i == 3 || i == 230 {
			r.Usages = []schema.Usage{querytest.Used("u", "a-model-without-a-price", float64(i), schema.Tokens{Input: 1})}
		}
		list = append(list, r)
	}
	db.Add(list...)
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		within time.Duration
		sort   sessionfilter.Sort
		limit  int
		want   string
	}{
		{time.Hour, "", 2, "s230 s003 end"},
		{time.Nanosecond, "", 2, "s230 next s003 end"},
		{time.Nanosecond, "started", 2, "s003 next s230 end"},
		{time.Nanosecond, "", 1, "s230 next s003 end"},
	} {
		q := sessionlist.Query{Tenant: db.Tenant, Filter: sessionfilter.Filter{Unpriced: true}, Sort: tc.sort, Limit: tc.limit, Within: tc.within}
		var got []string
		for {
			page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
			for _, s := range page.Items {
				got = append(got, s.ID)
			}
			if page.Next == nil {
				break
			}
			got, q.Cursor = append(got, "next"), *page.Next
		}
		if all := strings.Join(append(got, "end"), " "); all != tc.want {
			t.Errorf("%+v: %s", tc, all)
		}
	}

	q := sessionlist.Query{Tenant: db.Tenant, Filter: sessionfilter.Filter{Unpriced: true, To: querytest.When(229)}, Limit: 1, Within: time.Nanosecond}
	_, err := sessionlist.Read(t.Context(), r, q)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != http.StatusServiceUnavailable {
		t.Errorf("a page without sessions: %v", err)
	}
	q = sessionlist.Query{Tenant: db.Tenant, Limit: 220, Within: time.Nanosecond}
	if page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q)); len(page.Items) != 220 {
		t.Errorf("a page without a filter has %d sessions", len(page.Items))
	}
}
