package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"tapedeck/query/search"
)

const searchTextText = "Find words in all that was said, called, returned or failed, newest first. Words, \"phrases\" and beginnings of words with *; a text is a hit if it has all of them."

type searchTextArguments struct {
	Query   string   `json:"query" jsonschema:"What to search for, at most 1000 bytes."`
	Session []string `json:"session,omitempty" jsonschema:"Only in these sessions."`
	Kind    []string `json:"kind,omitempty" jsonschema:"Only texts of these kinds: system, user, assistant, thinking, tool_arguments, tool_output, tool_result, reply, error."`
	Tool    []string `json:"tool,omitempty" jsonschema:"Only calls and results of these tools."`
	Agent   []string `json:"agent,omitempty" jsonschema:"Only texts of these agents."`
	From    string   `json:"from,omitempty" jsonschema:"At this time or later: RFC 3339, a date, or now-7d."`
	To      string   `json:"to,omitempty" jsonschema:"Before this time."`
	Order   string   `json:"order,omitempty" jsonschema:"newest (the default) or relevance."`
	Limit   int      `json:"limit,omitempty" jsonschema:"Hits at most, up to 50. Default: 20."`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the hits after it."`
}

// queryBytes bounds a query: an answer repeats it in the call for more.
const queryBytes = 1_000

// hitLine is a text that has what was searched for.
type hitLine struct {
	Session  string  `json:"session"`
	Title    string  `json:"title,omitempty"`
	Kind     string  `json:"kind"`
	Name     string  `json:"name,omitempty"`
	Span     string  `json:"span,omitempty"`
	Message  string  `json:"message"`
	At       string  `json:"at"`
	OffsetMS float64 `json:"offset_ms"`
	Position string  `json:"position"`
	Text     string  `json:"text"` // matches are between « and »
	Matches  int     `json:"matches"`
}

func searchText(ctx context.Context, c *call, in searchTextArguments) (*answer, error) {
	at, err := c.after(in.Cursor)
	if err != nil {
		return nil, err
	}
	if len(in.Query) > queryBytes {
		return nil, fmt.Errorf(`the argument "query" has %d bytes: at most %d are searched for`, len(in.Query), queryBytes)
	}
	q := url.Values{"session": in.Session, "kind": in.Kind, "tool": in.Tool, "agent": in.Agent}
	set(q, map[string]string{"q": in.Query, "from": in.From, "to": in.To, "order": in.Order})
	s := &searching{call: c, q: q, at: at}
	p, err := s.page(ctx, within(in.Limit, 20, 50))
	if err != nil {
		return nil, err
	}
	a := &answer{list: "hits"}
	for i := range p.Items {
		a.item(newHitLine(&p.Items[i]))
	}
	a.outline = fmt.Sprintf("%d hits.", len(p.Items))
	if p.Partial {
		a.outline += " The search is not complete: the call in more continues it."
	}
	if len(p.Items) == 0 && p.Next == nil {
		a.outline = "Nothing has all of these words. Search for fewer or for beginnings of words, such as fail*, or leave out a filter."
	}
	a.more = func(n int) ([]more, error) {
		next := p.Next
		if n < len(p.Items) && in.Order != string(search.Relevance) {
			first, err := s.page(ctx, max(n, 1))
			if err != nil {
				return nil, err
			}
			next = first.Next
		}
		if next != nil {
			return []more{c.next("the hits after these", *next)}, nil
		}
		if n < len(p.Items) {
			return []more{{What: fmt.Sprintf("%d hits of lower relevance, in order of time", len(p.Items)-n), Tool: c.tool,
				Arguments: c.again(map[string]any{"order": string(search.Newest)})}}, nil
		}
		return nil, nil
	}
	return a, nil
}

// searching is a search for pages of hits.
type searching struct {
	*call
	q  url.Values
	at string // cursor of the API
}

func (s *searching) page(ctx context.Context, limit int) (*search.Answer, error) {
	s.q.Set("limit", strconv.Itoa(limit))
	set(s.q, map[string]string{"cursor": s.at})
	var p search.Answer
	return &p, s.Get(ctx, "v1/search", s.q, &p)
}

func newHitLine(h *search.Hit) hitLine {
	var text strings.Builder
	for _, part := range h.Snippet {
		if part.Match {
			fmt.Fprintf(&text, "«%s»", part.Text)
			continue
		}
		text.WriteString(part.Text)
	}
	return hitLine{Session: short(h.SessionID, idSize), Title: short(h.SessionTitle, nameSize), Kind: h.Kind, Name: short(h.Name, nameSize),
		Span: short(h.SpanID, idSize), Message: short(h.ID, idSize), At: h.At.Format(timeForm), OffsetMS: h.OffsetMS, Position: h.Position,
		Text: short(text.String(), 2*excerptSize), Matches: h.Matches}
}
