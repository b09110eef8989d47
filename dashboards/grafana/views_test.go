package grafana

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/deletion"
	"tapedeck/query/session/sessionlist"
	"tapedeck/schema"
)

// sums are the figures that dashboards and the API both show.
type sums struct {
	Sessions, Frames, Bytes           uint64
	ToolCalls, ToolErrors, ToolOpen   uint64
	Calls, CallErrors, FirstTokens    uint64
	FirstTokenMS, DurationMS, ToolMS  string
	Charged                           uint64
	Input, CacheRead, Output, Thought int64
	Cost                              string
}

func ofAPI(t *testing.T, r *query.Reader, tenant string) (s sums) {
	t.Helper()
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: tenant, Limit: 100}))
	for _, one := range page.Items {
		s.Sessions, s.Frames, s.Bytes = s.Sessions+1, s.Frames+one.Frames, s.Bytes+one.Bytes
	}
	tools := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: tenant})).Totals
	s.ToolCalls, s.ToolErrors, s.ToolOpen, s.ToolMS = tools.Calls, tools.Errors, tools.Open, ms(tools.P95MS)
	calls := querytest.Must[*modelcalls.Report](t)(modelcalls.Read(t.Context(), r, modelcalls.Query{Tenant: tenant})).Totals
	s.Calls, s.CallErrors, s.FirstTokens = calls.Calls, calls.Errors, calls.FirstTokens
	s.FirstTokenMS, s.DurationMS = ms(calls.FirstTokenP50MS), ms(calls.DurationP95MS)
	used := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: tenant})).Totals
	s.Charged, s.Input, s.CacheRead, s.Output, s.Thought = used.Calls, used.Tokens.Input, used.Tokens.CacheRead, used.Tokens.Output, used.Tokens.Reasoning
	s.Cost = "0 USD"
	if used.Cost != nil {
		s.Cost = used.Cost.Amount.String() + " " + used.Cost.Currency
	}
	return s
}

func ms(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *v)
}

func ofViews(t *testing.T, db *querytest.DB, tenant string) (s sums) {
	t.Helper()
	row := func(sql string, into ...any) {
		t.Helper()
		if err := db.Conn.QueryRow(t.Context(), sql, tenant).Scan(into...); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	row("SELECT count(), sum(frames), sum(bytes) FROM reports_sessions WHERE tenant = ?", &s.Sessions, &s.Frames, &s.Bytes)
	const quantile = "if(countIf(isNotNull(%[1]s)) = 0, NULL, quantileExactInclusiveIf(%[2]g)(assumeNotNull(%[1]s), isNotNull(%[1]s)) * 1000)"
	var tool, first, took *float64
	row("SELECT count(), countIf(status = 'error'), countIf(status IN ('', 'open', 'waiting', 'unclosed')), "+fmt.Sprintf(quantile, "seconds", 0.95)+" FROM reports_tools WHERE tenant = ?",
		&s.ToolCalls, &s.ToolErrors, &s.ToolOpen, &tool)
	row("SELECT count(), countIf(status = 'error'), countIf(isNotNull(first_token_seconds)), "+fmt.Sprintf(quantile, "first_token_seconds", 0.5)+", "+fmt.Sprintf(quantile, "seconds", 0.95)+" FROM reports_calls WHERE tenant = ?",
		&s.Calls, &s.CallErrors, &s.FirstTokens, &first, &took)
	s.ToolMS, s.FirstTokenMS, s.DurationMS = ms(tool), ms(first), ms(took)
	row("SELECT sum(calls), sum(input), sum(cache_read), sum(output), sum(reasoning) FROM reports_usage WHERE tenant = ?", &s.Charged, &s.Input, &s.CacheRead, &s.Output, &s.Thought)
	var currency string
	var total decimal.Decimal
	row("SELECT sum(cost), if(any(currency) = '', 'USD', any(currency)) FROM reports_costs WHERE tenant = ?", &total, &currency)
	s.Cost = total.String() + " " + currency
	return s
}

// Dashboards read the figures of the API, for each tenant: with rows that were inserted
// several times, spans that several streams report, sessions that were decoded anew, deleted, and
// recorded again.
func TestViewsEqualTheAPI(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	db := recorded(t)
	other := querytest.Recording{Session: "session-0", Stream: 9, Spans: []schema.Span{
		{Fact: schema.Fact{ID: "tool-4"}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(30)},
		querytest.Tool("tool-9", "edit", schema.StatusOK, 20, 21),
	}}
	anew := session("session-1", 2, 600, "gpt-5")
	anew.Spans, anew.Usages = anew.Spans[1:], anew.Usages[:1]
	check := func(stage string) sums {
		t.Helper()
		r := settle(t, db)
		var first sums
		for _, tenant := range []string{querytest.Tenant, "o'brien", "third", "nobody"} {
			want, got := ofAPI(t, r, tenant), ofViews(t, db, tenant)
			querytest.Equal(t, stage+", "+tenant, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
			if tenant == querytest.Tenant {
				first = got
			}
		}
		return first
	}
	at := check("as recorded")
	if at.Sessions != 3 || at.ToolCalls != 12 || at.Calls != 6 || at.Charged != 7 || at.Input != 9007 {
		t.Errorf("as recorded: %+v", at)
	}
	db.Add(other)
	if next := check("a further stream"); next.ToolCalls != at.ToolCalls+1 {
		t.Errorf("a further stream: %+v", next)
	}
	db.AddGeneration(10, anew)
	db.Commit(10, anew, 0)
	// What a settlement holds of a session changes when its batch is written again.
	if next := check("decoded anew"); next.ToolCalls != at.ToolCalls || next.Calls != at.Calls {
		t.Errorf("decoded anew: %+v", next)
	}
	db.Merge()
	if err := deletion.Delete(t.Context(), querytest.Reader(db, day), querytest.Tenant, "session-0"); err != nil {
		t.Fatal(err)
	}
	if next := check("deleted"); next.Sessions != 2 || next.ToolCalls != 7 {
		t.Errorf("deleted: %+v", next)
	}
	db.Restore("session-0", 1)
	db.Add(session("session-0", 1, 0, "gpt-5"))
	if next := check("recorded again"); next.Sessions != 3 || next.ToolCalls != 11 {
		t.Errorf("recorded again: %+v", next)
	}
}
