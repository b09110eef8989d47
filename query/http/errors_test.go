package queryhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
)

func decodeProblem(t *testing.T, body []byte) problem.Problem {
	t.Helper()
	var p problem.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return p
}

func TestRefusals(t *testing.T) {
	db := querytest.Open(t)
	db.Add(conversation())
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	for _, tc := range []struct {
		path      string
		parameter string
		allowed   string // one of what the problem says is allowed
	}{
		{"/v1/sessions?limit=0", "limit", "a whole number from 1 to 500"},
		{"/v1/sessions?limit=501", "limit", "a whole number from 1 to 500"},
		{"/v1/sessions?limit=ten", "limit", "a whole number from 1 to 500"},
		{"/v1/sessions?limit=1&limit=2", "limit", "once"},
		{"/v1/sessions?status=failed", "status", "incomplete"},
		{"/v1/sessions?sort=price", "sort", "-started"},
		{"/v1/sessions?min_cost=1e3", "min_cost", "such as 0.05"},
		{"/v1/sessions?min_cost=2&max_cost=1.5", "max_cost", "min_cost or more"},
		{"/v1/sessions?agnet=main", "agnet", "agent"},
		{"/v1/sessions?cursor=1", "cursor", `the value of "next" on the page before, with the other parameters unchanged`},
		{"/v1/sessions?tag=:x", "tag", "name:value"},
		{"/v1/sessions?from=yesterday", "from", "now"},
		{"/v1/sessions?from=now-", "from", "now"},
		{"/v1/sessions?from=now-5y", "from", "now"},
		{"/v1/sessions?from=1969-12-31", "from", "now"},
		{"/v1/sessions?from=2262-05-01", "from", "now"},
		{"/v1/sessions?from=now-1000w&to=now-2000w", "to", "a time at or after from"},
		{"/v1/sessions?to=2026-13-01", "to", "now"},
		{"/v1/sessions?q=%zz", "", ""},
		{"/v1/sessions?min_duration=90", "min_duration", "1m30s"},
		{"/v1/sessions?min_duration=-1s", "min_duration", "1m30s"},
		{"/v1/sessions?min_duration=2s&max_duration=1s", "max_duration", "min_duration or longer"},
		{"/v1/sessions?min_tokens=-1", "min_tokens", "a whole number from 0 to 9223372036854775807"},
		{"/v1/sessions?min_tokens=2&max_tokens=1", "max_tokens", "min_tokens or more"},
		{"/v1/facets?limit=1001", "limit", "a whole number from 1 to 1000"},
		{"/v1/streams?active=yes", "active", "1"},
		{talk + "?raw=1", "raw", ""},
		{talk + "/timeline?limit=1", "limit", ""},
		{talk + "/density?slices=0", "slices", ""},
		{talk + "/frames?cursor=abc", "cursor", "the position of a frame"},
		{talk + "/frames?direction=up", "direction", "send"},
		{talk + "/frames?raw=maybe", "raw", "1"},
		{talk + "/frames?raw=1&limit=5", "limit", "left out"},
		{talk + "/frames?format=csv", "format", "direction"},
		{talk + "/frames/index?every=99", "every", "a whole number from 100 to 1000000"},
		{talk + "/frames/index?cursor=x", "cursor", ""},
		{talk + "/frames/types?type=a", "type", ""},
		{talk + "/frames/7", "position", "the position of a frame"},
		{talk + "/transcript?chunks=2", "chunks", "0"},
		{talk + "/transcript?limit=5001", "limit", "a whole number from 1 to 5000"},
		{talk + "/transcript?cursor=e30", "cursor", ""},
		{"/v1/usage?timezone=Europe/Atlantis", "timezone", "UTC"},
		{"/v1/usage?timezone=Local", "timezone", "UTC"},
		{"/v1/usage?timezone=../../etc/passwd", "timezone", "UTC"},
		{"/v1/usage?granularity=year", "granularity", "week"},
		{"/v1/usage?order=name", "order", "-cost"},
		{"/v1/usage?top=-1", "top", "a whole number from 0 to 10000"},
		{"/v1/usage?status=fine", "status", "incomplete"},
		{"/v1/usage?currency=EUR", "currency", "USD"},
		{"/v1/usage?prices=abc", "prices", "64 hexadecimal digits"},
		{"/v1/usage?prices=" + strings.Repeat("0", 64), "prices", "the hash of a price table"},
		{"/v1/usage?as_of=tomorrow", "as_of", "now"},
		{"/v1/usage?what_if_model=none", "what_if_model", "a model of the price table"},
		{"/v1/usage?as_of=now&prices=" + prices.Standard().Hash(), "as_of", "prices without as_of"},
		{"/v1/usage?tag=:x", "tag", "name:value"},
		{"/v1/usage?top=10001", "top", "a whole number from 0 to 10000"},
		{"/v1/usage?top=3", "top", "left out, or with group_by"},
		{"/v1/usage?top=few", "top", "a whole number from 0 to 10000"},
		{"/v1/usage?from=2026-03-02&to=2026-03-01", "to", "a time at or after from"},
		{"/v1/usage?min_cost=2&max_cost=1.5", "max_cost", "min_cost or more"},
		{"/v1/usage?group_by=model&group_by=colour", "group_by", "service_tier"},
		{"/v1/usage?group_by=colour", "group_by", "tag:<name>"},
		{"/v1/usage?group_by=tag:", "group_by", "tag:<name>"},
		{"/v1/usage?group_by=model,tag:custmer", "group_by", "the tag of a session"},
		{"/v1/usage?format=xml", "format", "csv"},
		{"/v1/usage?slowest=1", "slowest", "group_by"},
		{"/v1/usage/calls?format=xml", "format", "parquet"},
		{"/v1/usage/calls?limit=0", "limit", "a whole number from 1 to 1000"},
		{"/v1/usage/calls?limit=1001", "limit", "a whole number from 1 to 1000"},
		{"/v1/usage/calls?format=csv&limit=5", "limit", "left out"},
		{"/v1/usage/calls?format=parquet&cursor=x", "cursor", "left out"},
		{"/v1/usage/calls?cursor=x", "cursor", ""},
		{"/v1/usage/calls?cursor=eyJsIjoiY2hhcmdlcyIsImsiOjEsImkiOiJ6ei56eiJ9", "cursor", ""},   // ids that are not hexadecimal
		{"/v1/usage/calls?cursor=eyJsIjoiY2hhcmdlcyIsImsiOi0xLCJpIjoiNjEuNjEifQ", "cursor", ""}, // a time before 1970
		{"/v1/usage/calls?group_by=model", "group_by", ""},
		{"/v1/usage/calls?status=fine", "status", "incomplete"},
		{"/v1/usage/calls?currency=EUR&format=csv", "currency", "USD"},
		{"/v1/usage/calls?format=ndjson&what_if_model=none", "what_if_model", "a model of the price table"},
		{"/v1/usage/calls?format=parquet&prices=" + strings.Repeat("0", 64), "prices", "the hash of a price table"},
		{"/v1/usage/calls?from=2026-03-03&to=2026-03-02", "to", "a time at or after from"},
		{"/v1/usage/reconciliation?finding=lost", "finding", "lost_frames"},
		{"/v1/usage/reconciliation?limit=101", "limit", "a whole number from 1 to 100"},
		{"/v1/usage/reconciliation?colour=red", "colour", "finding"},
		{"/v1/usage/reconciliation?cursor=x", "cursor", ""},
		{"/v1/tools?group_by=tool,model", "group_by", "session"},
		{"/v1/tools?group_by=tag:x", "group_by", "session"},
		{"/v1/calls?group_by=tool", "group_by", "provider"},
		{"/v1/search", "q", "words"},
		{"/v1/search?q=%20%22%22%20", "q", "words"},
		{"/v1/search?q=" + strings.Repeat("a", 10<<10), "q", "at most 2000 bytes"},
		{"/v1/search?q=" + strings.Repeat("a.", 70), "q", "at most 60 words"},
		{"/v1/search?q=a%20%22b", "q", `a phrase between quotation marks, as "timed out"`},
		{"/v1/search?q=a%00b", "q", "text without NUL"},
		{"/v1/search?q=%ff", "q", "text in UTF-8"},
		{"/v1/search?q=a&kind=said", "kind", "tool_result"},
		{"/v1/search?q=a&role=robot", "role", "assistant"},
		{"/v1/search?q=a&order=oldest", "order", "relevance"},
		{"/v1/search?q=a&limit=101", "limit", "a whole number from 1 to 100"},
		{"/v1/search?q=a&cursor=x", "cursor", ""},
		{"/v1/search?q=a&titel=x", "titel", "tag"},
		{"/v1/search?q=a&status=fine", "status", "incomplete"},
		{"/v1/search?q=a&q=b", "q", "once"},
		{"/v1/calls?outcome=fine", "outcome", "truncated"},
		{"/v1/calls?order=cost", "order", "slowest_rate"},
		{"/v1/calls?stall=soon", "stall", ""},
		{"/v1/calls?limit=1001", "limit", "a whole number from 0 to 1000"},
		{"/v1/compare?a=talk/1", "b", "the id of a session"},
		{"/v1/compare?b=talk/1", "a", "the id of a session"},
		{"/v1/compare?a=talk/1&b=talk/1&limit=0", "limit", "a whole number from 1 to 10000"},
		{"/v1/compare?a=talk/1&b=talk/1&row=-2", "row", ""},
		{"/v1/compare?a=talk/1&b=talk/1&row=9999", "row", ""},
		{"/v1/compare?a=talk/1&b=talk/1&exact=2", "exact", "1"},
		{"/v1/compare?a=talk/1&b=talk/1&c=talk/1", "c", "exact"},
		{"/v1/tools?slowest=-1", "slowest", "a whole number from 0 to 1000"},
		{"/v1/tools?format=xml", "format", "csv"},
		{"/v1/tools?format=csv&slowest=3", "slowest", "0"},
	} {
		t.Run(tc.path, func(t *testing.T) {
			a := &api{t, a.server, a.router}
			status, header, body := a.ask("GET", tc.path)
			p := decodeProblem(t, body)
			if status != 400 || header.Get("Content-Type") != problem.ContentType || p.Parameter != tc.parameter || p.Detail == "" {
				t.Fatalf("%d %s", status, body)
			}
			if tc.allowed != "" && !strings.Contains(strings.Join(p.Allowed, "\n"), tc.allowed) {
				t.Errorf("allowed is %q, without %q", p.Allowed, tc.allowed)
			}
			if _, query, _ := strings.Cut(tc.path, "?"); tc.parameter != "" && tc.parameter != "cursor" {
				values, _ := url.ParseQuery(query)
				value := strings.Join(values[tc.parameter], " ")
				if !strings.Contains(p.Detail, value) && !strings.Contains(p.Detail, tc.parameter) {
					t.Errorf("the detail names neither parameter nor value: %s", p.Detail)
				}
			}
		})
	}
	for _, filter := range []string{"q=nothing", "tag=no:such", "model=none", "status=lost", "min_cost=1000", "from=2030-01-01"} {
		report := get[usagereport.Report](a, "/v1/usage?group_by=model&granularity=day&top=3&"+filter)
		if len(report.Items) != 0 || report.Totals.Calls != 0 || report.Totals.Cost != nil {
			t.Errorf("usage with %s: %+v, want an empty report", filter, report)
		}
	}
	for _, path := range []string{"", "/frames", "/frames?raw=1", "/frames/index", "/frames/types", "/timeline", "/density", "/transcript"} {
		status, _, body := a.ask("GET", "/v1/sessions/none"+path)
		if p := decodeProblem(t, body); status != 404 || !strings.Contains(p.Detail, `"none"`) {
			t.Errorf("%s of no session: %d %s", path, status, body)
		}
	}
	if status, _, body := a.ask("GET", talk+"/frames?raw=1", "Accept", "application/json"); status != 406 {
		t.Errorf("raw for somebody who wants JSON: %d %s", status, body)
	}
}

// With ClickHouse gone every route says so, and when to come back.
// Who is still there when the server shuts down gets an answer, and no empty one.
func TestShutDown(t *testing.T) {
	db := querytest.Open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(problem.ErrStopping)
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/sessions", nil)
	queryhttp.New(query.NewReader(db.Conn), nil).Sessions(answer, request, db.Tenant)
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d, %q", answer.Code, answer.Body)
	}
}

func TestWithoutClickHouse(t *testing.T) {
	server := localtest.Engine(t, engine.Options{})
	opts, err := clickhouse.ParseDSN(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := serve(t, querytest.Tenant, query.NewReader(conn))
	for _, path := range []string{
		"/v1/sessions", "/v1/open", talk, talk + "/frames", talk + "/frames?raw=1", talk + "/frames/index", talk + "/frames/types", talk + "/timeline", talk + "/density", talk + "/transcript", "/v1/usage", "/v1/usage/reconciliation", "/v1/tools",
	} {
		status, header, body := a.ask("GET", path)
		if status != 503 || header.Get("Retry-After") != "5" {
			t.Errorf("%s: %d, Retry-After %q, %s", path, status, header.Get("Retry-After"), body)
		}
		if strings.Contains(string(body), "127.0.0.1") {
			t.Errorf("%s: the answer exposes internals: %s", path, body)
		}
	}
	if status, _, _ := a.ask("DELETE", talk); status != 503 {
		t.Errorf("delete: %d", status)
	}
}
