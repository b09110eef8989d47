// Package traceevents writes the spans of a session in the Trace Event Format, which Perfetto and
// chrome://tracing open.
package traceevents

import (
	"cmp"
	"encoding/json"
	"io"
	"time"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// document is a trace in the form of a JSON object.
type document struct {
	Events []any  `json:"traceEvents"` // metadata and complete events
	Unit   string `json:"displayTimeUnit"`
	Other  other  `json:"otherData"`
}

type other struct {
	Session string    `json:"session"`
	Started time.Time `json:"started"` // the time 0 of the events
}

// metadata is an event of phase M: it names or sorts a track, or names the process.
type metadata struct {
	Phase   string         `json:"ph"`
	Process int            `json:"pid"`
	Thread  int            `json:"tid"`
	Name    string         `json:"name"`
	Args    map[string]any `json:"args"`
}

// complete is an event of phase X: a span. Times are in microseconds.
type complete struct {
	Phase    string  `json:"ph"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	Name     string  `json:"name"`
	Category string  `json:"cat"`
	At       float64 `json:"ts"`
	Duration float64 `json:"dur"`
	Args     args    `json:"args"`
}

// args are the values that a viewer shows of a span.
type args struct {
	Status string       `json:"status"`
	Span   string       `json:"span"`
	Model  string       `json:"model,omitempty"`
	Tokens *cost.Tokens `json:"tokens,omitempty"` // that are counted for the span itself
}

// process is the number of the process that has all tracks of a session.
const process = 1

// Write writes the spans of a session with a track for each agent, and returns the number of spans. Equal facts
// make equal bytes.
func Write(out io.Writer, s *tapefacts.Session) (int, error) {
	usage := s.UsageOfSpans()
	d := document{Unit: "ms", Other: other{s.Row.ID, time.Unix(0, s.Row.Started).UTC()}, Events: []any{
		metadata{"M", process, 0, "process_name", map[string]any{"name": s.Row.ID}},
	}}
	for i, t := range tracksOf(s) {
		thread := i + 1
		d.Events = append(d.Events, metadata{"M", process, thread, "thread_name", map[string]any{"name": t.name}},
			metadata{"M", process, thread, "thread_sort_index", map[string]any{"sort_index": thread}})
		for _, of := range t.spans {
			a := args{Status: of.Status, Span: of.ID, Model: of.Model}
			for _, r := range usage[of.ID] {
				if a.Tokens == nil {
					a.Tokens = &cost.Tokens{}
				}
				a.Tokens.Add(r.Tokens)
			}
			d.Events = append(d.Events, complete{
				Phase: "X", Process: process, Thread: thread, Name: nameOf(of), Category: of.Kind,
				At: float64(of.Begin()-s.Row.Started) / 1e3, Duration: float64(s.EndOf(of)-of.Begin()) / 1e3, Args: a,
			})
		}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return len(s.Spans), e.Encode(d)
}

// nameOf returns the name of a span, or else its kind. A run is named after its agent.
func nameOf(of *spanmerge.Span) string {
	if of.Kind == string(schema.SpanRun) {
		return cmp.Or(of.Agent, "run")
	}
	return cmp.Or(of.Name, of.Model, of.Kind)
}
