package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tapedeck/query/report/toolreport"
)

const toolStatsText = "How often tools were called and failed, and how long they took (p50, p95, p99, longest), the tools with most errors first; and the slowest calls with their sessions and spans."

type toolStatsArguments struct {
	From    string   `json:"from,omitempty" jsonschema:"Calls at this time or later: RFC 3339, a date, or now-7d."`
	To      string   `json:"to,omitempty" jsonschema:"Calls before this time."`
	GroupBy []string `json:"group_by,omitempty" jsonschema:"tool (the default), agent, session."`
	Query   string   `json:"query,omitempty" jsonschema:"Only sessions with this text in the title, the id or the value of a tag."`
	Agent   []string `json:"agent,omitempty" jsonschema:"Only sessions with one of these agents."`
	Tool    []string `json:"tool,omitempty" jsonschema:"Only sessions where one of these tools was called."`
	Tag     []string `json:"tag,omitempty" jsonschema:"Only sessions with these tags, as name:value."`
	Status  []string `json:"status,omitempty" jsonschema:"Only sessions of these statuses."`
	Slowest int      `json:"slowest,omitempty" jsonschema:"How many of the slowest calls, up to 10. Default: 5."`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the rows after it."`
}

// toolLine is a row of the report on tools.
type toolLine struct {
	Group   map[string]string `json:"group"`
	Calls   uint64            `json:"calls"`
	Errors  uint64            `json:"errors"`
	Running uint64            `json:"running,omitempty"`
	P50MS   *float64          `json:"p50_ms"`
	P95MS   *float64          `json:"p95_ms"`
	P99MS   *float64          `json:"p99_ms"`
	MaxMS   *float64          `json:"max_ms"`
}

func newToolLine(group map[string]*string, t *toolreport.Times) toolLine {
	return toolLine{shortGroup(group), t.Calls, t.Errors, t.Running, t.P50MS, t.P95MS, t.P99MS, t.MaxMS}
}

// shortGroup returns the values of a row's groupings; "" for those without one.
func shortGroup(group map[string]*string) map[string]string {
	list := map[string]string{}
	for name, value := range group {
		list[short(name, nameSize)] = ""
		if value != nil {
			list[short(name, nameSize)] = short(*value, nameSize)
		}
	}
	return list
}

func toolStats(ctx context.Context, c *call, in toolStatsArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	q := url.Values{"agent": in.Agent, "tool": in.Tool, "tag": in.Tag, "status": in.Status,
		"slowest": {fmt.Sprint(within(in.Slowest, 5, 10))}}
	set(q, map[string]string{"from": in.From, "to": in.To, "q": in.Query, "group_by": strings.Join(in.GroupBy, ",")})
	var r toolreport.Report
	if err := c.Get(ctx, "v1/tools", q, &r); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Items, func(a, b toolreport.Row) int {
		return cmp.Or(-cmp.Compare(a.Errors, b.Errors), -cmp.Compare(a.Calls, b.Calls))
	})
	a := &answer{list: "rows"}
	a.outline = fmt.Sprintf("%d calls, %d failed, %d without an end.", r.Totals.Calls, r.Totals.Errors, r.Totals.Open)
	a.set("totals", newToolLine(nil, &r.Totals))
	a.set("slowest", slowLines(r.Slowest))
	fromOffset(c, a, r.Items, from, "rows", func(row *toolreport.Row) any { return newToolLine(row.Group, &row.Times) })
	return a, nil
}

// slowLine is one of the slowest calls.
type slowLine struct {
	Session    string   `json:"session"`
	Span       string   `json:"span"`
	Tool       string   `json:"tool"`
	Status     string   `json:"status"`
	DurationMS *float64 `json:"duration_ms,omitempty"`
	RunningMS  *float64 `json:"running_ms,omitempty"`
	OpenMS     *float64 `json:"open_ms,omitempty"`
}

func slowLines(list []toolreport.SlowCall) []slowLine {
	lines := make([]slowLine, len(list))
	for i := range list {
		s := &list[i]
		lines[i] = slowLine{Session: short(s.SessionID, nameSize), Span: short(s.SpanID, nameSize), Status: s.Status,
			DurationMS: s.DurationMS, RunningMS: s.RunningMS, OpenMS: s.OpenMS}
		if s.Tool != nil {
			lines[i].Tool = short(*s.Tool, nameSize)
		}
	}
	return lines
}
