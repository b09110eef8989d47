package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// TestCompare runs the tests of this package with one database, each with a tenant of its own.
func TestCompare(t *testing.T) {
	db := querytest.Open(t)
	for name, test := range map[string]func(*testing.T, *world){
		"divergence": testDivergence, "inputs": testInputs, "sub-agents": testSubAgents, "retries": testRetriesAndOrder, "mirrored": testMirrored,
		"limit": testLimit, "many steps": testManySteps, "long texts": testLongTexts, "at once": testAtOnce, "detail": testDetail, "odd facts": testOddFacts, "requests": testRequests,
		"renamed agents": testRenamedAgents,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, &world{t: t, db: db, tenant: db.Tenant + "-" + name, blocks: map[string][]*block.Block{}})
		})
	}
}

// world records sessions for a test.
type world struct {
	t       *testing.T
	db      *querytest.DB
	tenant  string
	streams int
	blocks  map[string][]*block.Block // the added recordings by session
}

// session is a recording that is written step by step, a second each.
type session struct {
	rec querytest.Recording
	at  float64
	n   int
	run string
	in  string // the span that holds what follows
}

func (w *world) session(id string) *session {
	w.streams++
	s := &session{rec: querytest.Recording{Tenant: w.tenant, Session: id, Stream: w.streams}, run: id + "-run"}
	s.in = s.run
	s.rec.Spans = append(s.rec.Spans, querytest.Run(s.run, schema.StatusOK, 0.001, 1000))
	return s
}

func (w *world) add(list ...*session) {
	recordings := make([]querytest.Recording, len(list))
	for i, s := range list {
		recordings[i] = s.rec
	}
	w.db.Add(recordings...)
	for i := range recordings {
		w.blocks[recordings[i].Session] = append(w.blocks[recordings[i].Session], recordings[i].Block())
	}
}

func (s *session) next(kind string) (id string, from, to float64) {
	s.n++
	s.at++
	return fmt.Sprintf("%s-%s-%d", s.rec.Session, kind, s.n), s.at, s.at + 0.5
}

func (s *session) said(kind schema.MessageKind, span, text string, at float64) {
	m := querytest.Said(fmt.Sprintf("%s-%d", kind, len(s.rec.Messages))+s.rec.Session, kind, s.run, text, at)
	m.Span = span
	if kind == schema.MessageArguments || strings.HasPrefix(text, "{") {
		m.Media = "json"
	}
	s.rec.Messages = append(s.rec.Messages, m)
}

func (s *session) user(text string) *session {
	_, from, _ := s.next("user")
	s.said(schema.MessageUser, s.run, text, from)
	return s
}

func (s *session) llm(text string) *session {
	id, from, to := s.next("llm")
	call := querytest.Span(schema.SpanLLM, id, s.in, "gpt-5", schema.StatusOK, from, to)
	call.Model, call.FirstToken = "gpt-5", querytest.AtSecond(from+0.2)
	s.rec.Spans = append(s.rec.Spans, call)
	if text != "" {
		s.said(schema.MessageAssistant, id, text, from+0.2)
	}
	used := querytest.Used(id+"-usage", "gpt-5", to, schema.Tokens{Input: 100, Output: 10})
	used.Span = id
	s.rec.Usages = append(s.rec.Usages, used)
	return s
}

func (s *session) tool(name, arguments, result string) *session {
	return s.toolAs(name, arguments, result, schema.StatusOK)
}

func (s *session) toolAs(name, arguments, result string, status schema.Status) *session {
	id, from, to := s.next("tool")
	call := querytest.Tool(id, name, status, from, to)
	call.Parent = s.in
	s.rec.Spans = append(s.rec.Spans, call)
	s.said(schema.MessageArguments, id, arguments, from)
	s.said(schema.MessageResult, id, result, to)
	return s
}

// within records what a sub-agent does in a call of a tool.
func (s *session) within(name, arguments, result string, do func()) *session {
	s.tool(name, arguments, result)
	call := &s.rec.Spans[len(s.rec.Spans)-1]
	above, at := s.in, len(s.rec.Spans)-1
	s.in = call.ID
	do()
	s.in = above
	s.at++
	s.rec.Spans[at].Ended = querytest.AtSecond(s.at)
	return s
}

func (w *world) compare(a, b string, change ...func(*compare.Query)) *compare.Comparison {
	w.t.Helper()
	q := compare.Query{Tenant: w.tenant, A: a, B: b, Steps: compare.DefaultSteps, Row: -1}
	for _, c := range change {
		c(&q)
	}
	found := querytest.Must[*compare.Comparison](w.t)(compare.Read(w.t.Context(), query.NewReader(w.db.Conn), q))
	if len(w.blocks[a]) > 0 && len(w.blocks[b]) > 0 && q.Steps == compare.DefaultSteps {
		inMemory := querytest.Must[*compare.Comparison](w.t)(compare.Between(w.recorded(a), w.recorded(b), q))
		if d := cmp.Diff(found, inMemory, cmpopts.IgnoreUnexported(compare.Row{}, compare.First{}), cmp.Comparer(decimal.Decimal.Equal)); d != "" {
			w.t.Errorf("%s and %s in memory (- in the database, + in memory):\n%s", a, b, d)
		}
	}
	return found
}

// recorded returns an added session in memory.
func (w *world) recorded(id string) *compare.Recorded {
	w.t.Helper()
	facts := map[string]*block.Facts{}
	var states []schema.StreamState
	r := &compare.Recorded{}
	for _, b := range w.blocks[id] {
		states = append(states, b.State)
		facts[b.State.StreamID] = &b.Facts
		for i := range b.Frames {
			if b.Frames[i].Type == "request" {
				r.Requests = append(r.Requests, compare.Request{Stream: b.State.StreamID, Seq: b.Frames[i].Seq, Raw: b.Frames[i].Raw})
			}
		}
	}
	var streams []sessionstreams.Stream
	r.Streams, streams = sessionstreams.OfStates(id, states)
	r.Spans, r.Messages = spanmerge.OfFacts(r.Streams, facts), messagemerge.OfFacts(facts)
	table := prices.Standard()
	pricer := &cost.Pricer{Table: table, Tenant: w.tenant, Split: cost.SplitOf(table)}
	r.Usage = querytest.Must[[]usagerecord.Record](w.t)(usagerecord.OfFacts(pricer, streams, facts))
	return r
}

// outline writes rows one a line: indentation, class, kind and name, the numbers of both
// steps, what changed.
func outline(c *compare.Comparison) string {
	var lines []string
	for i := range c.Steps {
		r := &c.Steps[i]
		number := func(s *compare.StepOf) string {
			if s == nil {
				return "-"
			}
			return fmt.Sprint(s.Number)
		}
		line := fmt.Sprintf("%s%s %s %s/%s", strings.Repeat("  ", r.Depth), r.Class, strings.TrimSpace(string(r.Kind)+" "+r.Name), number(r.A), number(r.B))
		if len(r.Changed) > 0 {
			line += fmt.Sprint(" ", r.Changed)
		}
		if r.Resynchronised {
			line += " resynchronised"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Until its third step B does what A does.
func testDivergence(t *testing.T, w *world) {
	w.add(
		w.session("a").user("fix it").llm("I look.").tool("read", `{"path":"x","n":1}`, "content").llm("").tool("bash", `{"cmd":"make"}`, "ok").llm("Done.").tool("note", `{}`, "noted"),
		w.session("b").user("fix it").llm("I look.").tool("read", `{"n":1.0, "path":"x"}`, "content").llm("").tool("grep", `{"for":"x"}`, "none").llm("Done.").tool("note", `{}`, "noted"),
	)
	c := w.compare("a", "b")
	querytest.Equal(t, "rows", querytest.Lines(
		"matched user 1/1", "matched llm gpt-5 2/2", "matched tool read 3/3", "matched llm gpt-5 4/4",
		"only_a tool bash 5/-", "only_b tool grep -/5", "matched llm gpt-5 6/6 resynchronised", "matched tool note 7/7"), outline(c))
	if want := "The same for 4 steps; at +5.0 s A called bash, B called grep."; c.Summary.Sentence != want {
		t.Errorf("%q, want %q", c.Summary.Sentence, want)
	}
	d := c.FirstDivergence
	if d.Input != nil || d.Output.What != "tool_call" || d.Cause != "output" || d.Output.Row != 4 || d.Output.TextA != `{"cmd":"make"}` || d.Output.TextB != `{"for":"x"}` {
		t.Errorf("%+v %+v", d, d.Output)
	}
	if s := c.Summary; s.Identical || s.SameSteps != 4 || s.Resynchronised != 1 || s.Classes[compare.OnlyA] != 1 || *s.Tokens != 0 {
		t.Errorf("%+v", s)
	}
	// A step a second: half of it is its own, and the other half waiting.
	split := c.Steps[1].A.Time
	if *split.WaitingMS != 1000 || *split.FirstTokenMS != 200 || *split.GenerationMS != 300 || split.ToolMS != nil {
		t.Errorf("a call of a model: %+v", split)
	}
	if tool := c.Steps[2].A.Time; *tool.WaitingMS != 500 || *tool.ToolMS != 500 || tool.GenerationMS != nil {
		t.Errorf("a tool: %+v", tool)
	}
}

// Inputs of an agent are distinguished from its outputs.
func testInputs(t *testing.T, w *world) {
	base := func(id string) *session { return w.session(id) }
	w.add(
		base("a").user("fix it").llm("").tool("read", `{}`, `{"size":1,"at":"2026-01-01T00:00:00Z"}`).llm("It is small.").tool("bash", `{}`, "ok"),
		base("ids").user("fix it").llm("").tool("read", `{}`, `{"size":1,"at":"2026-02-02T00:00:00Z"}`).llm("It is small.").tool("bash", `{}`, "ok"),
		base("result").user("fix it").llm("").tool("read", `{}`, `{"size":2,"at":"2026-01-01T00:00:00Z"}`).llm("It is big.").tool("rm", `{}`, "ok"),
		base("prompt").user("break it").llm("").tool("read", `{}`, `{"size":1}`).llm("It is small.").tool("bash", `{}`, "ok"),
		base("words").user("fix it").llm("").tool("read", `{}`, `{"size":1,"at":"2026-01-01T00:00:00Z"}`).llm("It is tiny.").tool("bash", `{"x":1}`, "ok"),
		base("failed").user("fix it").llm("").toolAs("read", `{}`, `{"size":1,"at":"2026-01-01T00:00:00Z"}`, schema.StatusError).llm("It is small.").tool("bash", `{}`, "ok"),
		base("short").user("fix it").llm(""),
	)
	for _, tc := range []struct{ b, sentence, input, output, cause string }{
		{"ids", "The same in all 5 steps.", "", "", ""},
		{"result", "The same for 2 steps; at +3.0 s the result of read differs; at +4.0 s the answer differs; at +5.0 s A called bash, B called rm.", "tool_result", "text", "input"},
		{"prompt", "Different from the start; at +1.0 s the prompt differs.", "prompt", "", "input"},
		{"words", "The same for 3 steps; at +4.0 s the answer differs; at +5.0 s both called bash with different arguments.", "", "text", "output"},
		{"failed", "The same for 2 steps; at +3.0 s read ended ok in A, error in B.", "tool_result", "", "input"},
		{"short", "The same for 2 steps; at +3.0 s A called read, B had ended.", "", "tool_call", "output"},
	} {
		c := w.compare("a", tc.b)
		if c.Summary.Sentence != tc.sentence {
			t.Errorf("%s: %q, want %q", tc.b, c.Summary.Sentence, tc.sentence)
		}
		var input, output, cause string
		if d := c.FirstDivergence; d != nil {
			cause = d.Cause
			if d.Input != nil {
				input = d.Input.What
			}
			if d.Output != nil {
				output = d.Output.What
			}
		}
		if input != tc.input || output != tc.output || cause != tc.cause {
			t.Errorf("%s: input %q, output %q, cause %q", tc.b, input, output, cause)
		}
	}
	if c := w.compare("a", "ids", func(q *compare.Query) { q.Exact = true }); c.Summary.Identical || c.FirstDivergence.Input.What != "tool_result" || len(c.Ignored) != 0 {
		t.Errorf("exactly: %+v", c.Summary)
	}
	if c := w.compare("a", "ids"); len(c.Ignored) != 1 || c.Ignored[0] != (compare.Ignored{Rule: "time", Count: 2}) {
		t.Errorf("ignored: %+v", c.Ignored)
	}
}

// The steps of sub-agents are aligned within the calls in which they work.
func testSubAgents(t *testing.T, w *world) {
	a, b := w.session("a").user("go"), w.session("b").user("go")
	a.within("Task", `{"prompt":"look"}`, "found", func() { a.llm("").tool("read", `{"f":1}`, "one").tool("grep", `{}`, "x") })
	b.within("Task", `{"prompt":"look"}`, "found", func() { b.llm("").tool("read", `{"f":2}`, "two").tool("grep", `{}`, "x") })
	w.add(a.llm("done"), b.llm("done"))
	c := w.compare("a", "b")
	querytest.Equal(t, "rows", querytest.Lines(
		"matched user 1/1", "matched tool Task 2/2", "  matched llm gpt-5 3/3", "  arguments_changed tool read 4/4 [arguments result]",
		"  matched tool grep 5/5 resynchronised", "matched llm gpt-5 6/6"), outline(c))
	if want := "The same for 2 steps; at +4.0 s both called read with different arguments."; c.Summary.Sentence != want {
		t.Errorf("%q, want %q", c.Summary.Sentence, want)
	}
	alone := w.compare("a", "a")
	if !alone.Summary.Identical || alone.Summary.Sentence != "A and B are the same session of 6 steps." {
		t.Errorf("%+v", alone.Summary)
	}
}

func testRetriesAndOrder(t *testing.T, w *world) {
	w.add(
		w.session("a").user("go").toolAs("bash", `{"cmd":"make"}`, "broken pipe", schema.StatusError).tool("bash", `{"cmd":"make"}`, "ok").tool("read", `{"f":1}`, "1").tool("grep", `{"q":"x"}`, "2").llm("done"),
		w.session("b").user("go").tool("bash", `{"cmd":"make"}`, "ok").tool("grep", `{"q":"x"}`, "2").tool("read", `{"f":1}`, "1").llm("done"),
	)
	c := w.compare("a", "b")
	got := outline(c)
	for _, want := range []string{"retried tool bash 2/-", "matched tool bash 3/2", "reordered tool", "matched llm gpt-5 6/5"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if c.Summary.Classes[compare.Reordered] != 1 || c.Summary.Classes[compare.OnlyA]+c.Summary.Classes[compare.OnlyB] != 0 {
		t.Errorf("%v in\n%s", c.Summary.Classes, got)
	}
	// Of the two calls that changed places either may be the one that moved.
	if s := c.Summary.Sentence; !strings.HasPrefix(s, "The same for 1 step; at +2.0 s bash failed in A, which tried again; at +") || !strings.HasSuffix(s, " is at another place.") {
		t.Errorf("%q", s)
	}
}

// Compared the other way round each row has its sides exchanged.
func testMirrored(t *testing.T, w *world) {
	a, b := w.session("a").user("go"), w.session("b").user("go")
	for i := range 60 {
		a.tool([]string{"bash", "read"}[i%2], fmt.Sprintf(`{"n":%d}`, i%7), fmt.Sprint(i%3))
		b.tool([]string{"bash", "read", "grep"}[i%3], fmt.Sprintf(`{"n":%d}`, i%5), fmt.Sprint(i%3))
	}
	w.add(a, b)
	there, back := w.compare("a", "b"), w.compare("b", "a")
	mirror := map[compare.Class]compare.Class{compare.OnlyA: compare.OnlyB, compare.OnlyB: compare.OnlyA}
	type pair struct{ a, b int }
	rows := map[pair]compare.Class{}
	seenA, seenB := map[int]bool{}, map[int]bool{}
	for _, r := range there.Steps {
		var p pair
		if r.A != nil {
			p.a = r.A.Number
			seenA[p.a] = true
		}
		if r.B != nil {
			p.b = r.B.Number
			seenB[p.b] = true
		}
		rows[p] = r.Class
	}
	if len(seenA) != 61 || len(seenB) != 61 || len(rows) != len(there.Steps) {
		t.Errorf("%d steps of A, %d of B in %d rows", len(seenA), len(seenB), len(there.Steps))
	}
	for _, r := range back.Steps {
		var p pair
		if r.A != nil {
			p.b = r.A.Number
		}
		if r.B != nil {
			p.a = r.B.Number
		}
		want := rows[p]
		if m, alone := mirror[want]; alone {
			want = m
		}
		if r.Class != want {
			t.Errorf("%v is %s, and %s the other way round", p, want, r.Class)
		}
	}
}
