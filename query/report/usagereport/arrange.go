package usagereport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/query/report/grouping"
)

// Order is the order of a report's rows; "-" before the word turns it around.
type Order string

// ByPeriod is that of periods, and of names within one.
const ByPeriod Order = "period"

// Orders lists all orders, the default first.
var Orders = []Order{ByPeriod, "-cost", "cost", "-tokens", "tokens", "-calls", "calls"}

// arrange puts the rows in order and keeps those of the first top groups. Rows that sum up
// others come last: of each period, or of the report where the order is another one.
func (r *Report) arrange(order Order, top int) {
	if top > 0 && len(r.GroupBy) > 0 {
		r.keep(order, top)
	}
	if order == "" || order == ByPeriod {
		return
	}
	slices.SortStableFunc(r.Items, func(a, b Row) int {
		if a.summed() != b.summed() {
			return cmp.Compare(a.summed(), b.summed())
		}
		return order.compare(&a.Figures, &b.Figures)
	})
}

// summed is 1 for a row that sums up other groups, else 0.
func (r *Row) summed() int { return min(r.OtherGroups, 1) }

// compare compares rows by an order other than ByPeriod. A cost that is not known comes
// after those that are known in the descending order, and before them in the other.
func (o Order) compare(a, b *Figures) int {
	word, descending := strings.CutPrefix(string(o), "-")
	var n int
	switch word {
	case "cost":
		n = costOf(a).Cmp(costOf(b))
		n = cmp.Or(n, cmp.Compare(a.Tokens.Total, b.Tokens.Total))
	case "calls":
		n = cmp.Compare(a.Calls, b.Calls)
	default:
		n = cmp.Compare(a.Tokens.Total, b.Tokens.Total)
	}
	if descending {
		return -n
	}
	return n
}

func costOf(f *Figures) decimal.Decimal {
	if f.Cost == nil {
		return decimal.NewFromInt(-1)
	}
	return f.Cost.Amount
}

// keep keeps the rows of the first groups by the order over all periods, and sums the
// others of each period up in a row after them. By period means by cost, greatest first.
func (r *Report) keep(order Order, top int) {
	if order == "" || order == ByPeriod {
		order = "-cost"
	}
	type total struct {
		key string
		Figures
	}
	var groups []*total
	byKey := map[string]*total{}
	for i := range r.Items {
		key := r.key(r.Items[i].Group)
		g := byKey[key]
		if g == nil {
			g = &total{key: key}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.Figures.Add(&r.Items[i].Figures)
	}
	slices.SortStableFunc(groups, func(a, b *total) int {
		return cmp.Or(order.compare(&a.Figures, &b.Figures), strings.Compare(a.key, b.key))
	})
	first := map[string]bool{}
	for _, g := range groups[:min(top, len(groups))] {
		first[g.key] = true
	}
	var kept []Row
	others := -1 // the row of the period's others in kept
	for i := range r.Items {
		row := &r.Items[i]
		if i > 0 && name(row) != name(&r.Items[i-1]) {
			kept, others = last(kept, others), -1
		}
		switch {
		case first[r.key(row.Group)]:
			kept = append(kept, *row)
		case others < 0:
			others = len(kept)
			kept = append(kept, Row{Period: row.Period, Group: grouping.NewGroup(r.GroupBy, make([]string, len(r.GroupBy))), Others: Others{1}, Figures: row.Figures})
		default:
			kept[others].OtherGroups++
			kept[others].Figures.Add(&row.Figures)
		}
	}
	if kept = last(kept, others); kept != nil {
		r.Items = kept
	}
	for i := range r.Items {
		r.Items[i].Findings.sum()
	}
}

// last moves a row to the end.
func last(rows []Row, i int) []Row {
	if i < 0 {
		return rows
	}
	row := rows[i]
	return append(slices.Delete(rows, i, i+1), row)
}

func name(r *Row) string {
	if r.Name == nil {
		return ""
	}
	return *r.Name
}

// key returns a text that differs for different groups.
func (r *Report) key(g grouping.Group) string {
	var b strings.Builder
	for _, by := range r.GroupBy {
		if v := g[by]; v != nil {
			b.WriteString(*v)
		}
		b.WriteByte(0)
	}
	return b.String()
}
