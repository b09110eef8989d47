package grouping

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tapedeck/query/tabular"
)

// Unknown is the CSV cell of a grouping for which a row has no value.
const Unknown = "unknown"

// Scope is the range and the grouping of a report.
type Scope struct {
	From, To *time.Time // nil for no limit
	Timezone string
	GroupBy  []string
}

// cells returns the cells of scopeColumns.
func (s Scope) cells() []string { return []string{s.end(s.From), s.end(s.To), s.Timezone} }

var scopeColumns = []string{"from", "to", "timezone"}

// end formats a bound of the range in the report's time zone; "" for no limit.
func (s Scope) end(at *time.Time) string {
	if at == nil {
		return ""
	}
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil { // unlikely, since the report was computed in this time zone
		zone = time.UTC
	}
	return at.In(zone).Format(time.RFC3339)
}

// FileName returns a name made of the report's range, time zone and groups, with characters that
// are valid in every file system.
func (s Scope) FileName(kind string) string {
	words := []string{kind}
	for _, at := range []*time.Time{s.From, s.To} {
		if end := s.end(at); end != "" {
			end = strings.TrimSuffix(end[:16], "T00:00") // precise to the minute
			words = append(words, end)
		} else {
			words = append(words, "open")
		}
	}
	words = append(words, s.Timezone)
	if len(s.GroupBy) > 0 {
		words = append(words, "by-"+strings.Join(s.GroupBy, "-"))
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, strings.Join(words, "_"))
	return name[:min(len(name), 150)]
}

// CSV writes the rows of a report.
type CSV struct {
	records *tabular.Records
	scope   Scope
	ends    []string // last cells of each row
	cells   []string
	failed  error // error of the header
}

// NewCSV returns a CSV writer that has written the header.
func NewCSV(w io.Writer, cells tabular.Cells, scope Scope, columns []string) *CSV {
	c := &CSV{records: tabular.NewRecords(w, cells), scope: scope, ends: scope.cells()}
	c.failed = c.records.Write(slices.Concat([]string{"period"}, scope.GroupBy, columns, scopeColumns))
	return c
}

// Row writes the row of a period and group.
func (c *CSV) Row(p Period, g Group, values []string) error {
	name := ""
	if p.Name != nil {
		name = *p.Name
	}
	c.cells = append(c.cells[:0], name)
	for _, by := range c.scope.GroupBy {
		value := Unknown
		if v := g[by]; v != nil {
			value = *v
		}
		c.cells = append(c.cells, value)
	}
	return c.write(values)
}

// Others writes the row of the groups that have no rows of their own.
func (c *CSV) Others(p Period, values []string) error {
	g := Group{}
	for _, name := range c.scope.GroupBy {
		g[name] = &others
	}
	return c.Row(p, g, values)
}

// others is the CSV cell of the groups that have no rows of their own.
var others = "(others)"

// End writes the row of the totals.
func (c *CSV) End(totals []string) error {
	c.cells = append(c.cells[:0], "total")
	for range c.scope.GroupBy {
		c.cells = append(c.cells, "")
	}
	return c.write(totals)
}

// write writes a record whose first cells are already set.
func (c *CSV) write(values []string) error {
	if c.failed != nil {
		return fmt.Errorf("write CSV: %w", c.failed)
	}
	c.cells = append(append(c.cells, values...), c.ends...)
	if err := c.records.Write(c.cells); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
