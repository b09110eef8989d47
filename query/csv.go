package query

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unknown stands in CSV for what a row is grouped by and has none of.
const Unknown = "unknown"

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column. Each row ends with the report's range and
// time zone.
func (u *UsageReport) WriteCSV(w io.Writer) error {
	c := newReportCSV(w, u.scope(), spentColumns)
	for i := range u.Items {
		c.row(u.Items[i].Period, u.Items[i].Group, u.Items[i].cells())
	}
	return c.end(u.Totals.cells())
}

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column. The slowest calls are left out. Each row
// ends with the report's range and time zone.
func (t *ToolReport) WriteCSV(w io.Writer) error {
	c := newReportCSV(w, t.scope(), toolTimeColumns)
	for i := range t.Items {
		c.row(t.Items[i].Period, t.Items[i].Group, t.Items[i].cells())
	}
	return c.end(t.Totals.cells())
}

// FileName returns the report's file name without a suffix.
func (u *UsageReport) FileName() string { return u.scope().fileName("usage") }

// FileName returns the report's file name without a suffix.
func (t *ToolReport) FileName() string { return t.scope().fileName("tools") }

// reportScope is what a report covers.
type reportScope struct {
	from, to *time.Time // nil for no limit
	timezone string
	groups   []string
}

func (u *UsageReport) scope() reportScope {
	return reportScope{u.From, u.To, u.Timezone, u.GroupBy}
}

func (t *ToolReport) scope() reportScope { return reportScope{t.From, t.To, t.Timezone, t.GroupBy} }

// cells returns the values of scopeColumns.
func (s reportScope) cells() []string { return []string{s.end(s.from), s.end(s.to), s.timezone} }

var scopeColumns = []string{"from", "to", "timezone"}

// end formats one end of the range in the report's time zone; "" for no limit.
func (s reportScope) end(at *time.Time) string {
	if at == nil {
		return ""
	}
	zone, err := time.LoadLocation(s.timezone)
	if err != nil { // unlikely: the report was computed in this time zone
		zone = time.UTC
	}
	return at.In(zone).Format(time.RFC3339)
}

// fileName returns a name of the report's range, time zone and groups, with characters
// that are valid in every file system.
func (s reportScope) fileName(kind string) string {
	words := []string{kind}
	for _, at := range []*time.Time{s.from, s.to} {
		if end := s.end(at); end != "" {
			end = strings.TrimSuffix(end[:16], "T00:00") // to the minute
			words = append(words, end)
		} else {
			words = append(words, "open")
		}
	}
	words = append(words, s.timezone)
	if len(s.groups) > 0 {
		words = append(words, "by-"+strings.Join(s.groups, "-"))
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, strings.Join(words, "_"))
	return name[:min(len(name), 150)]
}

// reportCSV writes the rows of a report; end returns the first error.
type reportCSV struct {
	*csv.Writer
	scope  reportScope
	failed error
}

func newReportCSV(w io.Writer, scope reportScope, columns []string) *reportCSV {
	c := &reportCSV{Writer: csv.NewWriter(w), scope: scope}
	c.UseCRLF = true
	c.cells(slices.Concat([]string{"period"}, scope.groups, columns, scopeColumns))
	return c
}

func (c *reportCSV) row(p Period, g Group, values []string) {
	cells := []string{""}
	if p.Name != nil {
		cells[0] = *p.Name
	}
	for _, name := range c.scope.groups {
		value := Unknown
		if v := g[name]; v != nil {
			value = *v
		}
		cells = append(cells, value)
	}
	c.cells(slices.Concat(cells, values, c.scope.cells()))
}

func (c *reportCSV) end(totals []string) error {
	c.cells(slices.Concat([]string{"total"}, make([]string, len(c.scope.groups)), totals, c.scope.cells()))
	c.Flush()
	if err := errors.Join(c.failed, c.Error()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func (c *reportCSV) cells(cells []string) {
	if c.failed == nil {
		c.failed = c.Write(cells)
	}
}

var spentColumns = []string{
	"calls", "input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning", "total",
	"cost", "unpriced_calls", "usage_discrepancies",
}

// cells are the values of spentColumns; an unknown cost is an empty cell.
func (s *Spent) cells() []string {
	cost := ""
	if s.Cost != nil {
		cost = strconv.FormatFloat(*s.Cost, 'f', -1, 64)
	}
	t := &s.Tokens
	cells := []string{strconv.FormatUint(s.Calls, 10)}
	for _, n := range []int64{t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning, t.Total} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return append(cells, cost, strconv.FormatUint(s.UnpricedCalls, 10), strconv.FormatUint(s.Discrepancies, 10))
}

var toolTimeColumns = []string{
	"calls", "errors", "error_rate", "open", "timed", "min_ms", "avg_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms",
}

// cells are the values of toolTimeColumns; a time that is not known is an empty
// cell.
func (t *ToolTimes) cells() []string {
	cells := []string{
		strconv.FormatUint(t.Calls, 10), strconv.FormatUint(t.Errors, 10), strconv.FormatFloat(t.ErrorRate, 'f', -1, 64),
		strconv.FormatUint(t.Open, 10), strconv.FormatUint(t.Timed, 10),
	}
	for _, ms := range []*float64{t.MinMS, t.AvgMS, t.P50MS, t.P90MS, t.P95MS, t.P99MS, t.MaxMS} {
		text := ""
		if ms != nil {
			text = strconv.FormatFloat(*ms, 'f', -1, 64)
		}
		cells = append(cells, text)
	}
	return cells
}
