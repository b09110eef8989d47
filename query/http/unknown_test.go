package queryhttp_test

import (
	"slices"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/toolreport"
	"tapedeck/schema"
)

// The rows without a name of the reports on tool calls and on model calls lead to the sessions of these
// calls: each filter has the sessions that a report by session and name has in its rows without one.
func TestSessionsOfUnknownCalls(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	call := func(kind schema.SpanKind, change func(*schema.Span)) schema.Span {
		s := querytest.Span(kind, "c", "", "search", schema.StatusOK, 0, 1)
		s.Model, s.Provider = "claude-opus-5", "anthropic"
		if change != nil {
			change(&s)
		}
		return s
	}
	streams := 0
	record := func(session string, spans ...schema.Span) {
		streams++
		db.Add(querytest.Recording{Session: session, Stream: streams, Spans: spans})
	}
	agentless := func(s *schema.Span) { s.Agent = "" }
	record("named tool", call(schema.SpanTool, nil))
	record("tool", call(schema.SpanTool, func(s *schema.Span) { s.Name = "" }))
	record("tool's agent", call(schema.SpanTool, agentless))
	record("named call", call(schema.SpanLLM, nil))
	record("model", call(schema.SpanLLM, func(s *schema.Span) { s.Model = "" }))
	record("nothing", call(schema.SpanLLM, func(s *schema.Span) { s.Model, s.Provider, s.Agent = "", "", "" }))
	record("call's agent", call(schema.SpanLLM, agentless))
	// The names come with another stream of the session.
	record("named later", call(schema.SpanLLM, func(s *schema.Span) { s.Model, s.Provider, s.Agent = "", "", "" }))
	record("named later", call(schema.SpanLLM, nil))
	record("tool named later", call(schema.SpanTool, func(s *schema.Span) { s.Name, s.Agent = "", "" }))
	record("tool named later", call(schema.SpanTool, nil))
	// Neither a model call nor a tool call.
	record("run", call(schema.SpanRun, func(s *schema.Span) { s.Name, s.Model, s.Provider, s.Agent = "", "", "", "" }))

	a := mount(t, db.Tenant, queryhttp.New(querytest.Reader(db, 1e6), nil))
	for filter, want := range map[string][]string{
		"tool=":                                      {"tool"},
		"tool=&tool=search":                          {"named tool", "tool", "tool named later", "tool's agent"},
		"unknown=tool_agent":                         {"tool's agent"},
		"unknown=call_model":                         {"model", "nothing"},
		"unknown=call_provider":                      {"nothing"},
		"unknown=call_agent":                         {"call's agent", "nothing"},
		"unknown=call_model&unknown=call_agent":      {"nothing"},
		"unknown=call_model&agent=main":              {"model"},
		"unknown=call_model&sort=-duration&from=now": nil,
	} {
		page := get[query.Page[sessionhead.Summary]](a, "/v1/sessions?"+filter)
		var got []string
		for _, s := range page.Items {
			got = append(got, s.ID)
		}
		slices.Sort(got)
		querytest.Equal(t, filter, want, got)
	}

	rows := func(name string, groups []map[string]*string) (list []string) {
		for _, group := range groups {
			if group[name] == nil {
				list = append(list, *group["session"])
			}
		}
		slices.Sort(list)
		return list
	}
	for name, want := range map[string][]string{"tool": {"tool"}, "agent": {"tool's agent"}} {
		var groups []map[string]*string
		for _, row := range get[toolreport.Report](a, "/v1/tools?group_by=session,"+name).Items {
			groups = append(groups, row.Group)
		}
		querytest.Equal(t, "tools by "+name, want, rows(name, groups))
	}
	for name, want := range map[string][]string{
		"model": {"model", "nothing"}, "provider": {"nothing"}, "agent": {"call's agent", "nothing"},
	} {
		var groups []map[string]*string
		for _, row := range get[modelcalls.Report](a, "/v1/calls?group_by=session,"+name).Items {
			groups = append(groups, row.Group)
		}
		querytest.Equal(t, "calls by "+name, want, rows(name, groups))
	}
	if status, _, body := a.send("GET", "/v1/sessions?unknown=weather", ""); status != 400 {
		t.Errorf("an unknown word: %d %s", status, body)
	}
}
