package querytest

import (
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/schema"
)

// AtSecond returns the time some seconds after Start, ns.
func AtSecond(seconds float64) int64 {
	return At(time.Duration(seconds * float64(time.Second)))
}

// When returns the same time as AtSecond in the form of the API.
func When(seconds float64) time.Time { return time.Unix(0, AtSecond(seconds)).UTC() }

func Ptr[T any](v T) *T { return &v }

// Run, Tool and LLM return spans; with end 0 they are open.
func Run(id string, status schema.Status, start, end float64) schema.Span {
	return Span(schema.SpanRun, id, "", "", status, start, end)
}

func Tool(id, name string, status schema.Status, start, end float64) schema.Span {
	return Span(schema.SpanTool, id, "", name, status, start, end)
}

func Span(kind schema.SpanKind, id, parent, name string, status schema.Status, start, end float64) schema.Span {
	s := schema.Span{
		Fact: schema.Fact{ID: id, Agent: "main"}, Kind: kind, Parent: parent,
		Name: name, Status: status, Started: AtSecond(start),
	}
	if end != 0 {
		s.Ended = AtSecond(end)
	}
	return s
}

func Said(id string, kind schema.MessageKind, run, text string, seconds float64) schema.Message {
	return schema.Message{
		Fact: schema.Fact{ID: id, Run: run, Agent: "main"}, Kind: kind, Text: text, Media: "text",
		Complete: true, Started: AtSecond(seconds), Ended: AtSecond(seconds),
	}
}

func Used(id, model string, seconds float64, t schema.Tokens) schema.Usage {
	return schema.Usage{
		Fact: schema.Fact{ID: id, Agent: "main"}, Scope: id, Mode: schema.UsageAdd, At: AtSecond(seconds),
		Model: model, Provider: "openai", Tokens: t,
	}
}

// Reader returns a reader whose clock shows the given number of seconds after Start.
func Reader(db *DB, seconds float64, options ...query.Option) *query.Reader {
	clock := query.WithClock(func() time.Time { return When(seconds) })
	return query.NewReader(db.Conn, append(options, clock)...)
}

func Must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func Equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, exported); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// exported ignores fields that are not part of an answer.
var exported = cmp.FilterPath(func(p cmp.Path) bool {
	field, ok := p.Last().(cmp.StructField)
	return ok && !token.IsExported(field.Name())
}, cmp.Ignore())

// Alive is a fixed set of recorders that are alive.
type Alive struct {
	Ids    []string
	Within time.Duration
}

func (h Alive) Alive(string) ([]string, time.Duration) { return h.Ids, h.Within }

// Frame returns a frame of a stream.
func Frame(seq uint64, seconds float64, kind, raw string) schema.Frame {
	return schema.Frame{Seq: seq, At: AtSecond(seconds), Raw: []byte(raw), Envelope: schema.Envelope{Type: kind}}
}

func Lines(s ...string) string { return strings.Join(s, "\n") }

func Zone(t *testing.T, name string) *time.Location {
	return Must[*time.Location](t)(time.LoadLocation(name))
}
