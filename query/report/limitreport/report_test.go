package limitreport_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/querytest"
	"tapedeck/query/report/limitreport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

// stated is a session of a dialect in which limits were stated; customer is the value of its tag.
func stated(session string, stream int, dialect, customer, limits string) querytest.Recording {
	r := querytest.Recording{
		Session: session, Stream: stream, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, float64(stream), float64(stream)+1)},
		State: schema.StreamState{Dialect: dialect, Limits: limits},
	}
	if customer != "" {
		r.State.Tags = map[string]string{"customer": customer}
	}
	return r
}

// limit is one limit with a used percentage, stated at a second.
func limit(name, plan string, percent, second float64) string {
	l := schema.Limit{Name: name, Plan: plan, UsedPercent: &percent, At: querytest.AtSecond(second)}
	return schema.Limits{l}.Text()
}

func lines(r *limitreport.Report) string {
	var b strings.Builder
	for _, item := range r.Items {
		fmt.Fprintf(&b, "%s %s %s %s %v %s %v\n", item.Dialect, query.Text(item.Account), item.Plan, item.Name, *item.UsedPercent, item.SessionID,
			item.StatedAt.Sub(querytest.When(0)))
	}
	return b.String()
}

// Of each dialect, account, plan and name the last statement in the range counts, however often it
// is stored.
func TestReport(t *testing.T) {
	db := querytest.Open(t)
	recordings := []querytest.Recording{
		stated("a", 1, "codex-rollout", "acme", limit("primary", "plus", 10, 1)),
		stated("b", 5, "codex-rollout", "acme", limit("primary", "plus", 30, 5.5)),
		stated("c", 9, "codex-rollout", "umbrella", limit("primary", "plus", 20, 9)),
		stated("d", 12, "codex-rollout", "", limit("primary", "team", 5, 12)),
		stated("e", 15, "claude-code", "acme", limit("five_hour", "", 55, 15.25)),
		stated("f", 20, "loom", "acme", ""),
		stated("g", 21, "loom", "acme", `{"name":"x"}`), // what no tap writes
		stated("h", 22, "loom", "acme", `[5,null,{"name":"","status":"x","at":1},{"name":"n","used_percent":1e308,"at":1772323222000000000}]`),
		stated("i", 23, "loom", "acme", "no JSON ["),
	}
	db.Add(recordings...)
	db.Add(recordings...)
	r := querytest.Reader(db, 100)
	read := func(q limitreport.Query) *limitreport.Report {
		t.Helper()
		q.Tenant = db.Tenant
		return querytest.Must[*limitreport.Report](t)(limitreport.Read(t.Context(), r, q))
	}
	querytest.Equal(t, "all", "claude-code   five_hour 55 e 15.25s\ncodex-rollout  plus primary 20 c 9s\ncodex-rollout  team primary 5 d 12s\n",
		lines(read(limitreport.Query{})))
	querytest.Equal(t, "by account", "claude-code acme  five_hour 55 e 15.25s\ncodex-rollout  team primary 5 d 12s\n"+
		"codex-rollout acme plus primary 30 b 5.5s\ncodex-rollout umbrella plus primary 20 c 9s\n", lines(read(limitreport.Query{Tag: "customer"})))
	querytest.Equal(t, "half open", "codex-rollout acme plus primary 10 a 1s\n",
		lines(read(limitreport.Query{Tag: "customer", From: querytest.When(1), To: querytest.When(5.5)})))
	querytest.Equal(t, "nothing in range", "", lines(read(limitreport.Query{From: querytest.When(50)})))
	other := querytest.Must[*limitreport.Report](t)(limitreport.Read(t.Context(), r, limitreport.Query{Tenant: "other-" + db.Tenant}))
	querytest.Equal(t, "another tenant", "", lines(other))
}

func TestHandler(t *testing.T) {
	db := querytest.Open(t)
	db.Add(stated("a", 1, "codex-rollout", "acme", limit("primary", "plus", 10, 1)))
	h := limitreport.Handler{Base: &endpoint.Base{Reader: querytest.Reader(db, 100), Clock: time.Now}}
	for query, want := range map[string]int{"": 200, "?tag=customer&from=now-7d": 200, "?from=x": 400, "?group_by=tool": 400, "?tag=a&tag=b": 400} {
		w := httptest.NewRecorder()
		h.Limits(w, httptest.NewRequest("GET", "/v1/limits"+query, nil), db.Tenant)
		if w.Code != want {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// A session has what each of its streams stated last. A shared link shows none of it.
func TestOfSession(t *testing.T) {
	db := querytest.Open(t)
	db.Add(stated("s", 1, "codex-rollout", "", limit("primary", "plus", 10, 1)), stated("s", 5, "codex-rollout", "", limit("primary", "plus", 30, 5)),
		stated("s", 9, "claude-code", "", limit("primary", "", 7, 9)), stated("plain", 20, "loom", "", ""))
	r := querytest.Reader(db, 100)
	d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "s"))
	first, second := 30.0, 7.0
	querytest.Equal(t, "limits", []accountlimits.Limit{
		{Dialect: "codex-rollout", Name: "primary", Plan: "plus", UsedPercent: &first, StatedAt: querytest.When(5)},
		{Dialect: "claude-code", Name: "primary", UsedPercent: &second, StatedAt: querytest.When(9)},
	}, d.Limits)
	for _, view := range []sessionframes.View{{}, {From: querytest.AtSecond(2), To: querytest.AtSecond(6)}} {
		d = querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(sessionframes.WithView(t.Context(), &view), r, db.Tenant, "s"))
		querytest.Equal(t, "shared", []accountlimits.Limit{}, d.Limits)
	}
	d = querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "plain"))
	querytest.Equal(t, "a session without", []accountlimits.Limit{}, d.Limits)
}
