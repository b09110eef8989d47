package usagereport

import (
	"io"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/reports"
)

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column. Each row ends with the report's range and
// time zone.
func (u *Report) WriteCSV(w io.Writer) error {
	c := reports.NewCSV(w, u.scope(), spentColumns)
	for i := range u.Items {
		c.Row(u.Items[i].Period, u.Items[i].Group, spentCells(&u.Items[i].Spent))
	}
	return c.End(spentCells(&u.Totals))
}

// FileName returns the report's file name without a suffix.
func (u *Report) FileName() string { return u.scope().FileName("usage") }

func (u *Report) scope() reports.Scope {
	return reports.Scope{From: u.From, To: u.To, Timezone: u.Timezone, GroupBy: u.GroupBy}
}

var spentColumns = []string{
	"calls", "input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning", "total",
	"cost", "unpriced_calls", "usage_discrepancies",
}

// spentCells returns the values of spentColumns; an unknown cost is an empty cell.
func spentCells(s *query.Spent) []string {
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
