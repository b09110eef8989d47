package queryhttp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/reconcile"
	"tapedeck/query/billing/reconcile/providerexport"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// The answers with every part in them are as the document says.
func TestReconciliationAnswers(t *testing.T) {
	db := querytest.Open(t)
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
	a := serve(t, db.Tenant, querytest.Reader(db, 100))
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

// An export is compared with usage of its days: a call of 1000 tokens of input and 100 of
// output on the day of the recording, which the export states with 90.
func TestReconcilingAnExport(t *testing.T) {
	db := querytest.Open(t)
	used := querytest.Used("u", "gpt-4o", 1, schema.Tokens{Input: 1000, Output: 100})
	db.Add(querytest.Recording{Session: "s", Stream: 1, Usages: []schema.Usage{used}})
	a := serve(t, db.Tenant, querytest.Reader(db, 100))
	day := querytest.When(1).Truncate(24 * time.Hour)
	const head = "start_time,end_time,model,input_tokens,output_tokens\n"
	row := fmt.Sprintf("%d,%d,gpt-4o,1000,90\n", day.Unix(), day.AddDate(0, 0, 1).Unix())
	send := func(path, text string) (int, []byte) {
		t.Helper()
		status, _, body := a.send("POST", path, text, "Content-Type", "text/csv")
		return status, body
	}
	status, body := send("/v1/usage/reconciliation?provider=openai", head+row)
	var c providerexport.Comparison
	if err := json.Unmarshal(body, &c); err != nil || status != 200 {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	got := ""
	for _, i := range c.Items {
		got += fmt.Sprintf("%s %s %s %s %s %s\n", i.Day, *i.Model, i.Bucket, i.Recorded, i.Exported, i.State)
	}
	date := day.Format(time.DateOnly)
	querytest.Equal(t, "figures", date+" gpt-4o input 1000 1000 equal\n"+date+" gpt-4o output 100 90 differs\n", got)
	for name, x := range map[string]struct {
		path, text string
		status     int
		says       []string
	}{
		"an empty body":      {"", "", 400, []string{"it is empty"}},
		"another file":       {"", "a,b\n1,2\n", 400, []string{"no known export has these fields"}},
		"a missing column":   {"", strings.Replace(head, ",output_tokens", "", 1) + strings.Replace(row, ",90", "", 1), 400, []string{"line 1", `"output_tokens"`, "it is missing"}},
		"an unknown column":  {"", strings.Replace(head, "model", "model,colour", 1), 400, []string{`"colour"`, "name it with ignore"}},
		"a broken number":    {"", head + strings.Replace(row, "1000", "many", 1), 400, []string{"line 2", `"input_tokens"`, "many"}},
		"another provider":   {"?provider=anthropic", head + row, 400, []string{"not of anthropic"}},
		"an unknown one":     {"?provider=google", head + row, 400, []string{"provider", "openai"}},
		"a parameter of GET": {"?finding=any", head + row, 400, []string{"finding"}},
		"another currency":   {"", fmt.Sprintf("start_time,end_time,amount_value,amount_currency\n%d,%d,1,eur\n", day.Unix(), day.Unix()+60), 400, []string{"EUR", "USD", "not comparable"}},
	} {
		status, body := send("/v1/usage/reconciliation"+x.path, x.text)
		if status != x.status {
			t.Errorf("%s: %d %s", name, status, body)
		}
		for _, want := range x.says {
			if !strings.Contains(strings.ReplaceAll(string(body), `\"`, `"`), want) {
				t.Errorf("%s does not say %q: %s", name, want, body)
			}
		}
	}
}
