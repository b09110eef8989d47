package toolreport

import (
	"io"
	"strconv"

	"tapedeck/query/report/grouping"
	"tapedeck/query/tabular"
)

// WriteCSV writes the report as CSV (RFC 4180): a header, the rows, and a last
// row with "total" in its first column. The slowest calls are left out. Each row
// ends with the report's range and time zone.
func (t *Report) WriteCSV(w io.Writer, cells tabular.Cells) error {
	c := grouping.NewCSV(w, cells, t.scope(), toolTimeColumns)
	for i := range t.Items {
		if err := c.Row(t.Items[i].Period, t.Items[i].Group, t.Items[i].cells()); err != nil {
			return err
		}
	}
	return c.End(t.Totals.cells())
}

// FileName returns the report's file name without a suffix.
func (t *Report) FileName() string { return t.scope().FileName("tools") }

func (t *Report) scope() grouping.Scope {
	return grouping.Scope{From: t.From, To: t.To, Timezone: t.Timezone, GroupBy: t.GroupBy}
}

var toolTimeColumns = []string{
	"calls", "errors", "error_rate", "open", "timed", "min_ms", "avg_ms",
	"p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms",
}

// cells returns the values of toolTimeColumns; an unknown time is an empty cell.
func (t *Times) cells() []string {
	cells := []string{
		strconv.FormatUint(t.Calls, 10), strconv.FormatUint(t.Errors, 10),
		strconv.FormatFloat(t.ErrorRate, 'f', -1, 64),
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
