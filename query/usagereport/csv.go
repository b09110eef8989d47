package usagereport

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"tapedeck/query/cost"
	"tapedeck/query/reports"
)

// WriteCSV writes the report as CSV (RFC 4180): a head, the rows, and a last
// row with "total" in its first column. Each row ends with the report's range and
// time zone.
func (u *Report) WriteCSV(w io.Writer) error {
	c := reports.NewCSV(w, u.scope(), figureColumns)
	for i := range u.Items {
		row := &u.Items[i]
		if row.OtherGroups > 0 {
			c.Others(row.Period, u.figureCells(&row.Figures))
			continue
		}
		c.Row(row.Period, row.Group, u.figureCells(&row.Figures))
	}
	return c.End(u.figureCells(&u.Totals))
}

// FileName returns the report's file name without a suffix.
func (u *Report) FileName() string { return u.scope().FileName("usage") }

func (u *Report) scope() reports.Scope {
	return reports.Scope{From: u.From, To: u.To, Timezone: u.Timezone, GroupBy: u.GroupBy}
}

var figureColumns = []string{
	"calls", "input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning", "total",
	"cost", "currency", "unpriced_calls", "unpriced_tokens", "repriced_cost", "what_if_cost", "repriced_currency",
	"stated_cost", "stated_currency", "stated_calls", "usage_discrepancies",
}

// figureCells returns the values of figureColumns; an unknown cost is an empty cell.
func (u *Report) figureCells(f *Figures) []string {
	t := &f.Tokens
	amounts, currencies, calls := statedCells(f.Stated)
	cells := []string{strconv.FormatUint(f.Calls, 10)}
	for _, n := range []int64{t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning, t.Total} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return append(cells, f.Cost.Text(), u.Prices.Currency, strconv.FormatUint(f.UnpricedCalls, 10), strconv.FormatInt(f.UnpricedTokens, 10),
		f.Repriced.Text(), f.WhatIf.Text(), f.otherCurrency(), amounts, currencies, calls, strconv.FormatUint(f.Discrepancies, 10))
}

// otherCurrency returns the currency of the costs at other prices and of another model, whose
// table may have another one than the costs; "" if neither is known.
func (f *Figures) otherCurrency() string {
	if known := cmp.Or(f.Repriced, f.WhatIf); known != nil {
		return known.Currency
	}
	return ""
}

// statedCells returns the sums of stated costs, their currencies and how many calls state
// them. Several are separated by spaces.
func statedCells(list []cost.Stated) (amounts, currencies, calls string) {
	if len(list) == 0 {
		return "", "", "0"
	}
	var cells [3][]string
	for _, s := range list {
		cells[0], cells[1] = append(cells[0], s.Text()), append(cells[1], s.Currency)
		cells[2] = append(cells[2], strconv.FormatUint(s.Calls, 10))
	}
	return strings.Join(cells[0], " "), strings.Join(cells[1], " "), strings.Join(cells[2], " ")
}
