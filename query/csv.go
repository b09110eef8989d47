package query

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// Unknown stands in CSV for what a row is grouped by and has none of.
const Unknown = "unknown"

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column.
func (u *UsageReport) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	head := append([]string{"period"}, u.GroupBy...)
	if err := c.Write(append(head, spentColumns...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for i := range u.Items {
		row := &u.Items[i]
		cells := []string{""}
		if row.Name != nil {
			cells[0] = *row.Name
		}
		for _, name := range u.GroupBy {
			value := Unknown
			if v := row.Group[name]; v != nil {
				value = *v
			}
			cells = append(cells, value)
		}
		if err := c.Write(append(cells, row.cells()...)); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	total := make([]string, 1+len(u.GroupBy))
	total[0] = "total"
	if err := c.Write(append(total, u.Totals.cells()...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
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
