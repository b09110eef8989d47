package compare_test

import (
	"strings"
	"testing"

	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Of long sessions the first steps are compared, and the answer has truncated.
func testLimit(t *testing.T, w *world) {
	long := w.session("long").user("go")
	for range 30 {
		long.llm("again").tool("bash", `{}`, "ok")
	}
	short := w.session("short").user("go").llm("again").tool("bash", `{}`, "ok")
	w.add(long, short)
	c := w.compare("long", "short", func(q *compare.Query) { q.Steps = 10 })
	if c.A.Steps > 10 || !c.A.Truncated || c.B.Steps != 3 || c.B.Truncated || c.Summary.Classes[compare.Matched] != 3 {
		t.Errorf("A %+v, B %+v, %v", c.A, c.B, c.Summary.Classes)
	}
	if !strings.HasSuffix(c.Summary.Sentence, "steps were compared).") {
		t.Error(c.Summary.Sentence)
	}
	if whole := w.compare("long", "short"); whole.A.Steps != 61 || whole.A.Truncated {
		t.Errorf("without a limit: %+v", whole.A)
	}
}

// A text beyond the bound is compared by its hash.
func testLongTexts(t *testing.T, w *world) {
	text := strings.Repeat("many words ", 20_000)
	w.add(
		w.session("a").tool("read", `{}`, text+"end"), w.session("same").tool("read", `{}`, text+"end"),
		w.session("other").tool("read", `{}`, text+"END"),
	)
	if c := w.compare("a", "same"); !c.Summary.Identical {
		t.Errorf("the same text: %s", c.Summary.Sentence)
	}
	c := w.compare("a", "other", func(q *compare.Query) { q.Row = 0 })
	if row := c.Steps[0]; row.Class != compare.ResultChanged || len(row.Detail) != 2 || !row.Detail[1].Cut || len(row.Detail[1].A) > 64<<10 {
		t.Errorf("another text: %s, %d parts", row.Class, len(row.Detail))
	}
}

// What differs in a row: words of texts, paths of JSON.
func testDetail(t *testing.T, w *world) {
	w.add(
		w.session("a").tool("read", `{"path":"x","lines":[1,2]}`, "one two three"),
		w.session("b").tool("read", `{"path":"x","lines":[1,3]}`, "one 2 three"),
	)
	c := w.compare("a", "b", func(q *compare.Query) { q.Row = 0 })
	if len(c.Steps) != 1 || len(c.Steps[0].Detail) != 2 {
		t.Fatalf("%+v", c.Steps)
	}
	arguments, result := c.Steps[0].Detail[0], c.Steps[0].Detail[1]
	if len(arguments.Paths) != 1 || arguments.Paths[0].Path != "$.lines[1]" || *arguments.Paths[0].A != "2" || *arguments.Paths[0].B != "3" {
		t.Errorf("arguments: %+v", arguments)
	}
	if len(result.Words) != 4 || result.Words[1].Text != "two" || result.Words[2].Text != "2" {
		t.Errorf("result: %+v", result)
	}
}

// Facts that contradict one another still make steps: each once.
func testOddFacts(t *testing.T, w *world) {
	odd := w.session("odd")
	loop := querytest.Span(schema.SpanNode, "x", "y", "x", schema.StatusOK, 1, 2)
	other := querytest.Span(schema.SpanNode, "y", "x", "y", schema.StatusOK, 1, 2)
	self := querytest.Span(schema.SpanTool, "z", "z", "z", schema.StatusOpen, 1, 0)
	odd.rec.Spans = append(odd.rec.Spans, loop, other, self)
	odd.said(schema.MessageResult, "nowhere", "lost", 3)
	odd.said(schema.MessageReply, "", "the reply", 4)
	empty := w.session("empty")
	empty.rec.Spans = nil
	empty.rec.Frames = []schema.Frame{querytest.Frame(0, 1, "x", "{}")}
	failed := w.session("failed").user("go")
	failed.rec.Spans[0].Status, failed.rec.Spans[0].Error = schema.StatusError, "no more credit"
	w.add(odd, empty, failed)
	if c := w.compare("odd", "odd"); len(c.Steps) != 5 || !c.Summary.Identical {
		t.Errorf("%s", outline(c))
	}
	if c := w.compare("empty", "empty"); c.Summary.Sentence != "Neither session has a step." {
		t.Errorf("%q", c.Summary.Sentence)
	}
	c := w.compare("failed", "empty")
	querytest.Equal(t, "a run that failed", querytest.Lines("only_a user 1/-", "only_a end error 2/-"), outline(c))
	if c.Steps[1].A.Error != "no more credit" {
		t.Errorf("%+v", c.Steps[1].A)
	}
	for _, q := range []compare.Query{
		{Tenant: w.tenant, A: "odd", B: "none"}, {Tenant: w.tenant, A: "none", B: "odd"}, {Tenant: "other", A: "odd", B: "odd"},
	} {
		q.Steps, q.Row = 10, -1
		if _, err := compare.Read(t.Context(), query.NewReader(w.db.Conn), q); err == nil || !strings.Contains(err.Error(), "There is no session") {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Requests that were recorded show parameters and tool definitions that differ.
func testRequests(t *testing.T, w *world) {
	for id, request := range map[string]string{
		"a":       `{"model":"gpt-5","temperature":0.2,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"read","input_schema":{}},{"name":"bash"}]}`,
		"warm":    `{"model":"gpt-5","temperature":1,"messages":[],"tools":[{"name":"read","input_schema":{}},{"name":"bash"}]}`,
		"tools":   `{"model":"gpt-5","temperature":0.2,"messages":[],"tools":[{"name":"read","input_schema":{"x":1}},{"name":"grep"}]}`,
		"prompts": `{"model":"gpt-5","temperature":0.2,"system":"Be kind.","messages":[],"tools":[{"name":"read","input_schema":{}},{"name":"bash"}]}`,
	} {
		s := w.session(id).user("go")
		f := querytest.Frame(1, 1.9, "request", request)
		f.Direction = schema.Send
		s.rec.Frames = []schema.Frame{f}
		s.llm("yes")
		w.add(s)
	}
	for b, want := range map[string]string{
		"warm":    "at +2.0 s temperature is 0.2 in A, 1 in B.",
		"tools":   "at +2.0 s the tool definitions differ (bash, grep, read).",
		"prompts": "at +2.0 s the system prompt differs.",
	} {
		if got := w.compare("a", b).Summary.Sentence; got != "The same for 1 step; "+want {
			t.Errorf("%s: %q", b, got)
		}
	}
}
