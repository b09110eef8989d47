package query

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Unknown stands in CSV for what a row is grouped by and has none of.
const Unknown = "unknown"

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column.
func (u *UsageReport) WriteCSV(w io.Writer) error {
	c := newReportCSV(w, u.GroupBy, spentColumns)
	for i := range u.Items {
		c.row(u.Items[i].Period, u.Items[i].Group, u.Items[i].cells())
	}
	return c.end(u.Totals.cells())
}

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column. The slowest calls are left out.
func (t *ToolReport) WriteCSV(w io.Writer) error {
	c := newReportCSV(w, t.GroupBy, toolTimeColumns)
	for i := range t.Items {
		c.row(t.Items[i].Period, t.Items[i].Group, t.Items[i].cells())
	}
	return c.end(t.Totals.cells())
}

// reportCSV writes the rows of a report; end gives the first error.
type reportCSV struct {
	*csv.Writer
	groups []string
	failed error
}

func newReportCSV(w io.Writer, groups, columns []string) *reportCSV {
	c := &reportCSV{Writer: csv.NewWriter(w), groups: groups}
	c.UseCRLF = true
	c.cells(slices.Concat([]string{"period"}, groups, columns))
	return c
}

func (c *reportCSV) row(p Period, g Group, values []string) {
	cells := []string{""}
	if p.Name != nil {
		cells[0] = *p.Name
	}
	for _, name := range c.groups {
		value := Unknown
		if v := g[name]; v != nil {
			value = *v
		}
		cells = append(cells, value)
	}
	c.cells(append(cells, values...))
}

func (c *reportCSV) end(totals []string) error {
	c.cells(slices.Concat([]string{"total"}, make([]string, len(c.groups)), totals))
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
