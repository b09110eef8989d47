package mcpserver

import (
	"context"
	"fmt"

	"tapedeck/query/pricing/cost"
)

const sessionOutlineText = "The outline of a session: how it ended, its agents, models, tokens and cost, and its spans (runs, nodes and sub-agents, model calls, tool calls) as a tree in order of time, with status, start and duration."

type sessionOutlineArguments struct {
	Session string `json:"session" jsonschema:"The id of the session, from find_sessions."`
	Span    string `json:"span,omitempty" jsonschema:"Only this span and those below it."`
	Depth   *int   `json:"depth,omitempty" jsonschema:"Only spans as deep as this in the tree; 0 for the runs alone. Default: all."`
	AsOf    string `json:"as_of,omitempty" jsonschema:"The session as it was at this moment: RFC 3339, or an offset from its start like +12.5s. Default: now."`
	Cursor  string `json:"cursor,omitempty" jsonschema:"From the answer before, for the spans after it."`
}

func sessionOutline(ctx context.Context, c *call, in sessionOutlineArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	s, err := readSession(ctx, c, in.Session, in.AsOf)
	if err != nil {
		return nil, err
	}
	list, base := s.spans, 0
	if in.Span != "" {
		root, err := s.find(in.Span)
		if err != nil {
			return nil, err
		}
		list, base = s.below(root), root.depth
	}
	deepest := -1
	if in.Depth != nil {
		deepest = base + max(*in.Depth, 0)
	}
	shown := make([]*placed, 0, len(list))
	for _, p := range list {
		if deepest < 0 || p.depth <= deepest {
			shown = append(shown, p)
		}
	}
	a := &answer{list: "spans"}
	a.outline = fmt.Sprintf("Session %s is %s: %d runs, %d spans, %d tool calls of which %d failed, %d frames.", short(s.ID, nameSize),
		s.Status, len(s.Runs), len(s.spans), s.Tools.Calls, s.Tools.Errors, s.Frames)
	if s.cut {
		a.outline = fmt.Sprintf("Session %s ran at this moment: %d spans had begun, %d tool calls among them, of which %d had failed.",
			short(s.ID, nameSize), len(s.spans), s.Tools.Calls, s.Tools.Errors)
	}
	setHead(a, s)
	a.set("agents", shortList(s.Agents, 8))
	a.set("models", shortList(s.Models, 8))
	a.set("dialects", shortList(s.Dialects, 8))
	a.set("tags", shortTags(s.Tags))
	if !s.cut {
		a.set("usage", figuresOf(&s.UsageTotals))
	}
	fromOffset(c, a, shown, from, "spans", func(p **placed) any {
		line := newSpanLine(*p, excerptSize)
		if deepest >= 0 && (*p).depth == deepest {
			line.Below = len(s.below(*p)) - 1
		}
		return line
	})
	return a, nil
}

// below returns a span and the spans below it.
func (s *session) below(root *placed) []*placed {
	for i, p := range s.spans {
		if p != root {
			continue
		}
		end := i + 1
		for end < len(s.spans) && s.spans[end].depth > root.depth {
			end++
		}
		return s.spans[i:end]
	}
	return nil
}

// shortTags returns the first tags, shortened.
func shortTags(tags map[string]string) map[string]string {
	list := map[string]string{}
	for name, value := range tags {
		if len(list) == 12 {
			break
		}
		list[short(name, nameSize/2)] = short(value, nameSize/2)
	}
	return list
}

// figures are the tokens and costs of some calls.
type figures struct {
	Calls         uint64      `json:"calls"`
	Tokens        cost.Tokens `json:"tokens"`
	Cost          *cost.Money `json:"cost"`
	UnpricedCalls uint64      `json:"unpriced_calls,omitempty"`
}

func figuresOf(u *cost.UsageTotals) figures {
	return figures{u.Calls, u.Tokens, u.Cost, u.UnpricedCalls}
}
