package queryhttp_test

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/openspans"
	"tapedeck/schema"
)

// What runs is answered as the document says, and parameters that mean something else are refused.
func TestOpenAnswers(t *testing.T) {
	db := querytest.Open(t)
	earlier := querytest.Recording{Session: "earlier", Stream: 1}
	for i := range 20 {
		earlier.Spans = append(earlier.Spans, querytest.Tool(fmt.Sprint("e", i), "bash", schema.StatusOK, float64(i), float64(i+1)))
	}
	call, model := querytest.Tool("call", "bash", schema.StatusOpen, 100, 0), querytest.Span(schema.SpanLLM, "model", "", "m", schema.StatusOpen, 100, 0)
	model.Model = "gpt-5"
	arguments := querytest.Said("a", schema.MessageArguments, "", `{"x":1}`, 100)
	arguments.Span = "call"
	db.Add(earlier,
		querytest.Recording{Session: "first", Stream: 2, Live: true, Messages: []schema.Message{arguments}, State: schema.StreamState{Tags: map[string]string{"customer": "c1"}},
			Spans: []schema.Span{call, model, querytest.Tool("wait", "ask", schema.StatusWaiting, 101, 0)}},
		querytest.Recording{Session: "second", Stream: 3, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 110, 0)}})
	a := serve(t, db.Tenant, querytest.Reader(db, 120))
	page := get[query.Page[openspans.Session]](a, "/v1/open?limit=1")
	if len(page.Items) != 1 || page.Items[0].ID != "first" || len(page.Items[0].Spans) != 3 || page.Items[0].Spans[0].Usual == nil || page.Next == nil {
		t.Fatalf("%+v", page)
	}
	if next := get[query.Page[openspans.Session]](a, "/v1/open?cursor="+*page.Next); len(next.Items) != 1 || next.Items[0].ID != "second" {
		t.Errorf("after the cursor: %+v", next)
	}
	if tagged := get[query.Page[openspans.Session]](a, "/v1/open?tag=customer:c1&status=running,quiet&sort=-last_at"); len(tagged.Items) != 1 {
		t.Errorf("with a tag: %+v", tagged)
	}
	list := get[query.Page[openspans.Session]](a, "/v1/sessions?limit=1")
	for parameters, name := range map[string]string{"status=ok": "status", "status=running,lost": "status", "limit=0": "limit", "limit=201": "limit", "cursor=x": "cursor", "cursor=" + *list.Next: "cursor", "from=2026-01-01": "from"} {
		if status, _, body := a.ask("GET", "/v1/open?"+parameters); status != 400 || !strings.Contains(string(body), `"parameter":"`+name+`"`) {
			t.Errorf("%s: %d %s", parameters, status, body)
		}
	}
}
