package queryhttp_test

import (
	"testing"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/reconcile"
	"tapedeck/schema"
)

// The answers with every part in them are as the document says.
func TestReconciliationAnswers(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	run := querytest.Run("run", schema.StatusOK, 0, 9)
	run.Run, run.Attributes = "r", `{"total_usage":{"total_tokens":50}}`
	agent := querytest.Run("agent", schema.StatusOK, 0, 9)
	agent.Run, agent.Attributes = "a", `{"cumulative_usage":{"input_tokens":5,"cache_read_tokens":1}}`
	cut := querytest.Span(schema.SpanLLM, "cut", "", "", schema.StatusUnclosed, 1, 2)
	used := querytest.Used("u", "gpt-5", 1, schema.Tokens{Input: 40, Output: 3})
	used.Run, used.Span = "r", "cut"
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, Spans: []schema.Span{run, agent, cut}, Usages: []schema.Usage{used}},
		querytest.Recording{Session: "empty", Stream: 2, Frames: []schema.Frame{querytest.Frame(1, 5, "x", "{}")}},
	)
	a := serve(t, querytest.Reader(db, 100))
	all := get[query.Page[reconcile.Session]](a, "/v1/usage/reconciliation?from=2026-03-01&to=now")
	if len(all.Items) != 2 || all.Next != nil {
		t.Errorf("%+v", all)
	}
	page := get[query.Page[reconcile.Session]](a, "/v1/usage/reconciliation?finding=cut_off_with_usage&model=gpt-5&limit=1")
	if len(page.Items) != 1 || page.Items[0].ID != "s" || page.Items[0].Tokens.Total != 43 || len(page.Items[0].Totals) != 2 {
		t.Fatalf("%+v", page)
	}
	if d := page.Items[0].Totals[1].Difference; d == nil || *d != 7 {
		t.Errorf("the run's total: %+v", page.Items[0].Totals[1])
	}
	if page = get[query.Page[reconcile.Session]](a, "/v1/usage/reconciliation?finding=any&q=empty"); len(page.Items) != 0 {
		t.Errorf("%+v", page)
	}
}
