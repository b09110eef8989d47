package query_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// at is the time some seconds after the recordings begin, ns.
func at(seconds float64) int64 {
	return querytest.At(time.Duration(seconds * float64(time.Second)))
}

// when is the same as the API gives it.
func when(seconds float64) time.Time { return time.Unix(0, at(seconds)).UTC() }

func ptr[T any](v T) *T { return &v }

// run, tool and llm make spans; end 0 leaves them open.
func run(id string, status schema.Status, start, end float64) schema.Span {
	return span(schema.SpanRun, id, "", "", status, start, end)
}

func tool(id, name string, status schema.Status, start, end float64) schema.Span {
	return span(schema.SpanTool, id, "", name, status, start, end)
}

func span(kind schema.SpanKind, id, parent, name string, status schema.Status, start, end float64) schema.Span {
	s := schema.Span{
		Fact: schema.Fact{ID: id, Agent: "main"}, Kind: kind, Parent: parent, Name: name, Status: status, Started: at(start),
	}
	if end != 0 {
		s.Ended = at(end)
	}
	return s
}

func said(id string, kind schema.MessageKind, run, text string, seconds float64) schema.Message {
	return schema.Message{
		Fact: schema.Fact{ID: id, Run: run, Agent: "main"}, Kind: kind, Text: text, Media: "text",
		Complete: true, Started: at(seconds), Ended: at(seconds),
	}
}

func used(id, model string, seconds float64, t schema.Tokens) schema.Usage {
	return schema.Usage{
		Fact: schema.Fact{ID: id, Agent: "main"}, Scope: id, Mode: schema.UsageAdd, At: at(seconds),
		Model: model, Provider: "openai", Tokens: t,
	}
}

// reader asks as somebody would the given number of seconds after the start.
func reader(db *querytest.DB, seconds float64, options ...query.Option) *query.Reader {
	clock := query.WithClock(func() time.Time { return when(seconds) })
	return query.NewReader(db.Conn, append(options, clock)...)
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
