package usagereport

import (
	"io"
	"time"

	"tapedeck/query/tabular"
)

// parquetFile writes Parquet: the columns of CSV, with the bounds of periods and the number of
// groups that a row sums up. It has no row of totals.
type parquetFile struct {
	*tabular.Table
	report  *Report
	columns []figureColumn
	values  []any
}

func newParquet(w io.Writer, u *Report) (writer, error) {
	columns := []tabular.Column{{Name: "period"}, {Name: "period_start", Kind: tabular.Instant},
		{Name: "period_end", Kind: tabular.Instant}}
	for _, by := range u.GroupBy {
		columns = append(columns, tabular.Column{Name: by})
	}
	columns = append(columns, tabular.Column{Name: "other_groups", Kind: tabular.Integer})
	figures := u.columns()
	for i := range figures {
		columns = append(columns, figures[i].Column)
	}
	columns = append(columns, tabular.Column{Name: "from", Kind: tabular.Instant},
		tabular.Column{Name: "to", Kind: tabular.Instant}, tabular.Column{Name: "timezone"})
	return &parquetFile{Table: tabular.NewTable(w, columns), report: u, columns: figures}, nil
}

func (p *parquetFile) row(row *Row) error {
	p.values = append(p.values[:0], textOrNull(row.Name), instantOrNull(row.Start), instantOrNull(row.End))
	for _, by := range p.report.GroupBy {
		p.values = append(p.values, textOrNull(row.Group[by]))
	}
	p.values = append(p.values, int64(row.OtherGroups))
	for i := range p.columns {
		p.values = append(p.values, p.columns[i].value(&row.Figures))
	}
	return p.WriteValues(append(p.values, instantOrNull(p.report.From), instantOrNull(p.report.To), p.report.Timezone))
}

func (p *parquetFile) end() error { return p.Close() }

func textOrNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func instantOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return *t
}
