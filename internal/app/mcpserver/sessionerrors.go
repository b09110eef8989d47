package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tapedeck/query/facts/sessionhead"
)

const sessionErrorsText = "The spans of a session that failed, were cancelled or were cut off, the likely cause first, with their errors and the names of the spans around them. Of a running session also what is open. Then call read_span."

type sessionErrorsArguments struct {
	Session string `json:"session" jsonschema:"The id of the session, from find_sessions."`
	AsOf    string `json:"as_of,omitempty" jsonschema:"What had failed and what was open at this moment: RFC 3339, or an offset from the start of the session like +12.5s. Default: now."`
	Cursor  string `json:"cursor,omitempty" jsonschema:"From the answer before, for the spans after it."`
}

func sessionErrors(ctx context.Context, c *call, in sessionErrorsArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	s, err := readSession(ctx, c, in.Session, in.AsOf)
	if err != nil {
		return nil, err
	}
	list := s.failures()
	a := &answer{list: "spans"}
	a.outline = fmt.Sprintf("Session %s is %s; %d of its %d spans failed, were cut off or are open.", short(s.ID, nameSize),
		s.Status, len(list), len(s.spans))
	if len(list) == 0 {
		a.outline = fmt.Sprintf("Session %s is %s, and none of its %d spans failed or is open.", short(s.ID, nameSize), s.Status, len(s.spans))
	}
	setHead(a, s)
	if len(s.Discrepancies) > 0 {
		a.set("discrepancies", discrepancies(s.Discrepancies))
	}
	fromOffset(c, a, list, from, "spans", func(p **placed) any {
		line := newSpanLine(*p, errorSize)
		line.Path, line.Position, line.Depth = (*p).path(), (*p).Position, 0
		return line
	})
	return a, nil
}

// failures returns the spans that failed, and those that are open in an open session, the likely
// cause first.
func (s *session) failures() []*placed {
	var list []*placed
	for _, p := range s.spans {
		if p.isFailure(s) || p.Open {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *placed) int {
		return cmp.Or(cmp.Compare(a.likelihood(s), b.likelihood(s)), -cmp.Compare(a.StartMS, b.StartMS))
	})
	return list
}

// likelihood orders the spans that failed: spans below which another failed come last. Of the others,
// the span at the end of the session comes first, then calls of tools and models that failed, were
// cut off, are open or were cancelled, and then runs and nodes.
func (p *placed) likelihood(s *session) int {
	rank := map[string]int{"error": 1, "rejected": 1, "unclosed": 2, "open": 3, "waiting": 3, "": 3, "cancelled": 4}[p.Status]
	if p.Kind != "tool" && p.Kind != "llm" {
		rank += 10
	}
	if p.failed {
		rank += 20
	}
	if s.isAtEnd(p) && !p.failed {
		rank = 0
	}
	return rank
}

// isAtEnd reports whether a span is the one in which the session ended, or the one in progress.
func (s *session) isAtEnd(p *placed) bool {
	of := func(ref *sessionhead.SpanRef) bool { return ref != nil && ref.ID == p.ID }
	return s.End != nil && of(s.End.Span) || of(s.OpenSpan) && p.Kind != "run"
}
