package modelcalls

import (
	"io"
	"strconv"

	"tapedeck/query/report/grouping"
	"tapedeck/query/tabular"
)

// WriteCSV writes the report as CSV (RFC 4180): a header, the rows, and a last row with "total"
// in its first column. Single calls and distributions are left out.
func (t *Report) WriteCSV(w io.Writer, cells tabular.Cells) error {
	c := grouping.NewCSV(w, cells, t.scope(), csvColumns)
	for i := range t.Items {
		if err := c.Row(t.Items[i].Period, t.Items[i].Group, t.Items[i].cells()); err != nil {
			return err
		}
	}
	return c.End(t.Totals.cells())
}

// FileName returns the report's file name without a suffix.
func (t *Report) FileName() string { return t.scope().FileName("calls") }

func (t *Report) scope() grouping.Scope {
	return grouping.Scope{From: t.From, To: t.To, Timezone: t.Timezone, GroupBy: t.GroupBy}
}

var csvColumns = []string{
	"calls", "errors", "error_rate", "truncated", "refused", "cancelled",
	"open", "retries", "streamed", "stalled_calls", "stalls",
	"output_tokens", "first_tokens", "first_token_p50_ms",
	"first_token_p95_ms", "first_token_p99_ms", "first_token_max_ms",
	"tokens_per_second_p5", "tokens_per_second_p50", "gap_p50_ms", "gap_p99_ms", "gap_max_ms",
	"duration_p50_ms", "duration_p95_ms", "duration_max_ms",
}

// cells returns the values of csvColumns; an unknown value is an empty cell.
func (f *Figures) cells() []string {
	count := func(n uint64) string { return strconv.FormatUint(n, 10) }
	cells := []string{count(f.Calls), count(f.Errors), strconv.FormatFloat(f.ErrorRate, 'f', -1, 64)}
	for _, n := range []uint64{f.Truncated, f.Refused, f.Cancelled, f.Open, f.Retries, f.Streamed, f.StalledCalls,
		f.Stalls, f.OutputTokens, f.FirstTokens} {
		cells = append(cells, count(n))
	}
	for _, value := range []*float64{
		f.FirstTokenP50MS, f.FirstTokenP95MS, f.FirstTokenP99MS, f.FirstTokenMaxMS, f.TokensPerSecP5, f.TokensPerSecP50,
		f.GapP50MS, f.GapP99MS, f.GapMaxMS, f.DurationP50MS, f.DurationP95MS, f.DurationMaxMS,
	} {
		text := ""
		if value != nil {
			text = strconv.FormatFloat(*value, 'f', -1, 64)
		}
		cells = append(cells, text)
	}
	return cells
}
