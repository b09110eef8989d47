package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/problem"
	"tapedeck/query/compare"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/notes"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/search"
	"tapedeck/query/session/openspans"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// fakeAPI answers as the API does, with lists of n items whose texts are all the same text.
type fakeAPI struct {
	n    int
	text string
	asks func(r *http.Request) // called with each request; may be nil
}

var start = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

func (f *fakeAPI) id(i int) string { return fmt.Sprintf("id-%05d", i) }

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.asks != nil {
		f.asks(r)
	}
	w.Header().Set(problem.ServerHeader, "test")
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	if rest, of := strings.CutPrefix(path, "sessions/"); of {
		_, path, _ = strings.Cut(rest, "/")
		path = "session/" + path
	}
	answer := map[string]func() any{
		"sessions":           func() any { return paging(r, f.n, f.session) },
		"open":               func() any { return paging(r, f.n, f.open) },
		"search":             func() any { p := paging(r, f.n, f.hit); return search.Answer{Items: p.Items, Next: p.Next} },
		"tools":              f.tools,
		"usage":              f.usage,
		"compare":            f.comparison,
		"session/":           func() any { return f.detail() },
		"session/timeline":   func() any { return f.timeline() },
		"session/transcript": func() any { return paging(r, f.n, f.message) },
		"session/frames":     func() any { return paging(r, f.n, f.frame) },
		"session/notes": func() any {
			return notes.Note{ID: f.text, Author: f.text, Content: notes.Content{Text: f.text, Labels: slices.Repeat([]string{f.text}, 16), Thumb: notes.Thumb(f.text)}}
		},
		"session/frames/0.0": func() any { return sessionframes.WholeFrame{Frame: f.frame(0), Raw: []byte(f.text)} },
	}[path]
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"title":"Not found","status":404,"detail":"There is no such thing."}`))
		return
	}
	_ = json.NewEncoder(w).Encode(answer())
}

// paging returns the page of a list that a request asks for. A cursor is the number of an item.
func paging[Item any](r *http.Request, n int, item func(i int) Item) (p page[Item]) {
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	for i := from; i < min(from+limit, n); i++ {
		p.Items = append(p.Items, item(i))
	}
	if from+limit < n {
		next := strconv.Itoa(from + limit)
		p.Next = &next
	}
	return p
}

func (f *fakeAPI) head(i int) sessionhead.Head {
	return sessionhead.Head{ID: f.id(i), Title: f.text, Status: sessionhead.Failed, Started: start, LastAt: start.Add(2 * time.Hour), Agents: slices.Repeat([]string{f.text}, 20),
		Models: slices.Repeat([]string{f.text}, 20), Dialects: []string{f.text}, Tags: map[string]string{f.text: f.text},
		End: &sessionhead.End{Reason: sessionhead.EndError, Detail: f.text, Span: &sessionhead.SpanRef{ID: f.text, Name: f.text}}}
}

func (f *fakeAPI) session(i int) sessionhead.Summary { return sessionhead.Summary{Head: f.head(i)} }

func (f *fakeAPI) detail() sessiondetail.Detail {
	return sessiondetail.Detail{Head: f.head(0), Discrepancies: slices.Repeat([]sessiondetail.Discrepancy{{Code: "x", Detail: f.text}}, 20)}
}

// timeline has a run with the other spans below it.
func (f *fakeAPI) timeline() timeline.Timeline {
	attributes, _ := json.Marshal(map[string]string{"x": f.text})
	span := func(i int, kind string) *timeline.Span {
		return &timeline.Span{ID: f.id(i), Kind: kind, Name: f.text, Agent: f.text, Model: &f.text, Status: "error", Error: &f.text,
			Started: start, StartMS: float64(i), Attributes: attributes, Position: "0.0"}
	}
	run := span(0, "run")
	for i := 1; i < f.n; i++ {
		run.Children = append(run.Children, span(i, "tool"))
	}
	return timeline.Timeline{Spans: []*timeline.Span{run}}
}

func (f *fakeAPI) message(i int) transcript.Message {
	return transcript.Message{ID: f.id(i), Kind: "assistant", Text: f.text, Name: f.text, Agent: f.text, SpanID: f.id(i % 3), Started: start, Complete: true}
}

func (f *fakeAPI) frame(i int) sessionframes.Frame {
	return sessionframes.Frame{Position: fmt.Sprintf("%d.0", i), Type: f.text, Agent: f.text, Flags: slices.Repeat([]string{f.text}, 20),
		Payload: sessionframes.Payload{Text: &f.text}}
}

func (f *fakeAPI) hit(i int) search.Hit {
	return search.Hit{SessionID: f.id(0), SessionTitle: f.text, ID: f.id(i), Name: f.text, SpanID: f.text, Snippet: []search.Part{{Text: f.text, Match: true}, {Text: f.text}}}
}

func (f *fakeAPI) open(i int) openspans.Session {
	text := f.text[:min(len(f.text), 1_000)] // the API cuts arguments
	s := openspans.Session{ID: f.id(i), Title: text, Agents: []string{text, text}, OpenSpans: 12}
	for range 12 {
		s.Spans = append(s.Spans, openspans.Span{ID: text, Name: text, Agent: text, Model: &text, Arguments: &text})
	}
	return s
}

func (f *fakeAPI) tools() any {
	r := toolreport.Report{GroupBy: []string{"tool"}}
	for range f.n {
		r.Items = append(r.Items, toolreport.Row{Group: grouping.Group{"tool": &f.text}})
	}
	r.Slowest = slices.Repeat([]toolreport.SlowCall{{SessionID: f.text, SpanID: f.text, Tool: &f.text}}, 10)
	return r
}

func (f *fakeAPI) usage() any {
	r := usagereport.Report{GroupBy: []string{"model"}}
	for range f.n {
		r.Items = append(r.Items, usagereport.Row{Group: grouping.Group{"model": &f.text}})
	}
	return r
}

func (f *fakeAPI) comparison() any {
	step := &compare.StepOf{ID: f.text, Agent: f.text, Error: f.text, Excerpt: f.text}
	first := &compare.First{What: f.text, Phrase: f.text, A: step, B: step, TextA: f.text, TextB: f.text}
	c := compare.Comparison{Summary: compare.Summary{Sentence: f.text}, FirstDivergence: &compare.Divergence{Input: first, Output: first}}
	c.A.Title, c.B.Title = f.text, f.text
	for i := range f.n {
		c.Steps = append(c.Steps, compare.Row{Index: i, Class: compare.ResultChanged, Name: f.text, A: step, B: step,
			Detail: []compare.FieldDiff{{Field: compare.FieldResult, A: f.text, B: f.text}}})
	}
	return c
}

// connect returns a client of the tools over HTTP.
func connect(t *testing.T, api http.Handler) *mcp.ClientSession {
	t.Helper()
	server := httptest.NewServer(Handler("test", api))
	t.Cleanup(server.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: server.Client(), DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ask calls a tool and returns its text.
func ask(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s: %d parts of content", tool, len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}
