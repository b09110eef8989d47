package grafana

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// sessionsRecorded are the values of each session that can be selected at the head of a dashboard.
var sessionsRecorded = []struct{ tenant, model, tag, value string }{
	{querytest.Tenant, "gpt-5", "team", "o'neill"}, {querytest.Tenant, "gpt-5-mini", "team", "blue"},
	{"o'brien", "gpt-4.1", "team", "o'neill"}, {querytest.Tenant, "gpt-5", "customer", "c0"}, {"third", "gpt-5-mini", "team", "blue"},
}

// recorded are tenants with sessions in each of which models and tools were called: the second
// runs, the fourth was cut off, and in the first a model without a price was called, too.
func recorded(t *testing.T) *querytest.DB {
	t.Helper()
	return recordedIn(t, localtest.ClickHouse(t))
}

func recordedIn(t *testing.T, dsn string) *querytest.DB {
	t.Helper()
	db := querytest.In(t, dsn)
	var list []querytest.Recording
	for i, of := range sessionsRecorded {
		r := session(fmt.Sprintf("session-%d", i), i+1, float64(i*600), of.model)
		r.Tenant, r.State.Tags = of.tenant, map[string]string{of.tag: of.value}
		switch i {
		case 0:
			r.Usages = append(r.Usages, querytest.Used("unpriced", unpriced, 16, schema.Tokens{Input: 7}))
		case 1:
			r.Live = true
		case 3:
			r.State.EndReason = "error: connection reset"
		}
		list = append(list, r)
	}
	db.Add(list...)
	return db
}

const unpriced = "nobody-1"

// session is a recording of four calls of tools and two of a model, from a second on.
func session(id string, stream int, from float64, model string) querytest.Recording {
	tool := func(n int, name string, status schema.Status, after, end float64) schema.Span {
		if end != 0 {
			end += from
		}
		return querytest.Tool(fmt.Sprint("tool-", n), name, status, from+after, end)
	}
	call := func(n int, status schema.Status, after, first, end float64) schema.Span {
		s := querytest.Span(schema.SpanLLM, fmt.Sprint("call-", n), "", "", status, from+after, from+end)
		s.Model, s.Provider, s.FirstToken = model, "openai", querytest.AtSecond(from+first)
		return s
	}
	return querytest.Recording{
		Session: id, Stream: stream,
		Frames: []schema.Frame{{At: querytest.AtSecond(from), Raw: []byte(`{"a":1}`)}, {Seq: 1, At: querytest.AtSecond(from + 60), Raw: []byte(`{"b":22}`)}},
		Spans: []schema.Span{
			tool(1, "bash", schema.StatusOK, 1, 4), tool(2, "bash", schema.StatusError, 5, 6), tool(3, "search", schema.StatusOK, 7, 9),
			tool(4, "search", schema.StatusOpen, 10, 0), call(1, schema.StatusOK, 0, 0.5, 1), call(2, schema.StatusError, 11, 12, 15),
		},
		Usages: []schema.Usage{
			querytest.Used(id+"-1", model, from+1, schema.Tokens{Input: 1000, CacheRead: 500, Output: 100, Reasoning: 20}),
			querytest.Used(id+"-2", model, from+15, schema.Tokens{Input: 2000, CacheWrite5m: 30, Output: 200}),
		},
	}
}

// day is when the questions of the tests are asked, in seconds after the start.
const day = 86400

// settle settles usage as the sink does.
func settle(t *testing.T, db *querytest.DB) *query.Reader {
	t.Helper()
	r := querytest.Reader(db, day)
	if err := rollup.NewSettler(r, slog.New(slog.DiscardHandler)).Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}
