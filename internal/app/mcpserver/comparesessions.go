package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"tapedeck/query/compare"
)

const compareSessionsText = "Compare two sessions step by step: a sentence that sums up, the first input and the first output that differ, and the steps that differ. Use it with a failed and a successful session of the same task."

type compareSessionsArguments struct {
	A      string `json:"a" jsonschema:"The id of a session."`
	B      string `json:"b" jsonschema:"The id of the session to compare it with."`
	Row    *int   `json:"row,omitempty" jsonschema:"Only this step, by its row, with what differs in its texts."`
	Same   bool   `json:"same,omitempty" jsonschema:"List also the steps that do not differ."`
	Exact  bool   `json:"exact,omitempty" jsonschema:"Compare ids and times as well."`
	Cursor string `json:"cursor,omitempty" jsonschema:"From the answer before, for the steps after it."`
}

// stepLine is a step of one of the sessions.
type stepLine struct {
	Span       string   `json:"span"` // or the id of a message
	StartMS    float64  `json:"start_ms"`
	DurationMS *float64 `json:"duration_ms,omitempty"`
	Status     string   `json:"status,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Error      string   `json:"error,omitempty"`
	Excerpt    string   `json:"excerpt,omitempty"`
}

func newStepLine(s *compare.StepOf) *stepLine {
	if s == nil {
		return nil
	}
	return &stepLine{short(s.ID, idSize), s.StartMS, s.DurationMS, s.Status, short(s.Agent, nameSize), short(s.Error, excerptSize),
		short(s.Excerpt, excerptSize)}
}

// rowLine is a pair of steps, or a step of one session.
type rowLine struct {
	Row     int             `json:"row"`
	Depth   int             `json:"depth,omitempty"`
	Class   compare.Class   `json:"class"`
	Kind    compare.Kind    `json:"kind"`
	Name    string          `json:"name,omitempty"`
	Changed []compare.Field `json:"changed,omitempty"`
	A       *stepLine       `json:"a,omitempty"`
	B       *stepLine       `json:"b,omitempty"`
}

func newRowLine(r *compare.Row) rowLine {
	return rowLine{r.Index, r.Depth, r.Class, r.Kind, short(r.Name, nameSize), r.Changed, newStepLine(r.A), newStepLine(r.B)}
}

// firstLine is the first difference of a kind.
type firstLine struct {
	What   string    `json:"what"`
	Phrase string    `json:"phrase"`
	Row    int       `json:"row"`
	A      *stepLine `json:"a,omitempty"`
	B      *stepLine `json:"b,omitempty"`
	TextA  string    `json:"text_a,omitempty"`
	TextB  string    `json:"text_b,omitempty"`
}

func newFirstLine(f *compare.First) *firstLine {
	if f == nil {
		return nil
	}
	return &firstLine{short(f.What, nameSize), short(f.Phrase, excerptSize), f.Row, newStepLine(f.A), newStepLine(f.B),
		short(f.TextA, excerptSize), short(f.TextB, excerptSize)}
}

func compareSessions(ctx context.Context, c *call, in compareSessionsArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.A == "" || in.B == "" {
		return nil, errors.New(`the arguments "a" and "b" must each be the id of a session: call find_sessions for ids`)
	}
	q := url.Values{"a": {in.A}, "b": {in.B}}
	if in.Exact {
		q.Set("exact", "1")
	}
	if in.Row != nil {
		q.Set("row", strconv.Itoa(*in.Row))
	}
	var found compare.Comparison
	if err := c.Get(ctx, "v1/compare", q, &found); err != nil {
		return nil, err
	}
	if in.Row != nil {
		return rowDetail(c, &found, from)
	}
	a := &answer{outline: short(found.Summary.Sentence, 2*excerptSize), list: "steps"}
	for _, side := range []struct {
		name string
		of   *compare.Side
	}{{"a", &found.A}, {"b", &found.B}} {
		a.set(side.name, map[string]any{"session": short(side.of.SessionID, idSize), "title": short(side.of.Title, nameSize),
			"status": side.of.Status, "duration_ms": side.of.DurationMS, "steps": side.of.Steps, "truncated": side.of.Truncated})
	}
	a.set("same_steps", found.Summary.SameSteps)
	a.set("classes", found.Summary.Classes)
	if d := found.FirstDivergence; d != nil {
		a.set("first_divergence", map[string]any{"cause": d.Cause, "input": newFirstLine(d.Input), "output": newFirstLine(d.Output)})
	}
	rows := make([]*compare.Row, 0, len(found.Steps))
	for i := range found.Steps {
		if r := &found.Steps[i]; in.Same || r.Class != compare.Matched {
			rows = append(rows, r)
		}
	}
	fromOffset(c, a, rows, from, "steps that differ", func(r **compare.Row) any { return newRowLine(*r) })
	return a, nil
}

// rowDetail returns one row with what differs in its texts.
func rowDetail(c *call, found *compare.Comparison, from int) (*answer, error) {
	if len(found.Steps) == 0 {
		return nil, errors.New(`there is no such row: call compare_sessions without "row" for the rows that differ`)
	}
	r := &found.Steps[0]
	a := &answer{outline: fmt.Sprintf("Row %d: %s, %s.", r.Index, r.Kind, r.Class), list: "differences"}
	a.set("step", newRowLine(r))
	var list []any
	for i := range r.Detail {
		d := &r.Detail[i]
		if d.Same {
			continue
		}
		for _, change := range d.Paths {
			list = append(list, map[string]any{"field": d.Field, "path": short(change.Path, excerptSize), "a": shortValue(change.A), "b": shortValue(change.B)})
		}
		if len(d.Paths) == 0 {
			list = append(list, map[string]any{"field": d.Field, "a": short(d.A, windowSize), "b": short(d.B, windowSize)})
		}
	}
	fromOffset(c, a, list, from, "differences", func(v *any) any { return *v })
	return a, nil
}

func shortValue(text *string) any {
	if text == nil {
		return nil
	}
	return short(*text, errorSize)
}
