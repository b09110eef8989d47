package usagereport

import (
	"io"

	"tapedeck/query/report/grouping"
	"tapedeck/query/tabular"
)

// WriteCSV writes the report as CSV (RFC 4180): a header, the rows, and a last
// row with "total" in its first column. Each row ends with the report's range and
// time zone.
func (u *Report) WriteCSV(w io.Writer, cells tabular.Cells) error {
	return u.write(w, csvOpener(cells))
}

func (u *Report) scope() grouping.Scope {
	return grouping.Scope{From: u.From, To: u.To, Timezone: u.Timezone, GroupBy: u.GroupBy}
}

// csvFile writes CSV.
type csvFile struct {
	*grouping.CSV
	report  *Report
	columns []figureColumn
	cells   []string
}

func csvOpener(cells tabular.Cells) opener {
	return func(w io.Writer, u *Report) (writer, error) {
		columns := u.columns()
		names := make([]string, len(columns))
		for i := range columns {
			names[i] = columns[i].Name
		}
		return &csvFile{grouping.NewCSV(w, cells, u.scope(), names), u, columns, make([]string, len(columns))}, nil
	}
}

func (c *csvFile) figures(f *Figures) []string {
	for i := range c.columns {
		c.cells[i] = cell(c.columns[i].value(f))
	}
	return c.cells
}

func (c *csvFile) row(row *Row) error {
	if row.OtherGroups > 0 {
		return c.Others(row.Period, c.figures(&row.Figures))
	}
	return c.Row(row.Period, row.Group, c.figures(&row.Figures))
}

func (c *csvFile) end() error { return c.End(c.figures(&c.report.Totals)) }
