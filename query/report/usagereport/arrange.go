package usagereport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/query/report/grouping"
)

// Order is the order of a report's rows; a leading "-" reverses it.
type Order string

// ByPeriod orders rows by period, then by name.
const ByPeriod Order = "period"

// Orders lists all orders, the default first.
var Orders = []Order{ByPeriod, "-cost", "cost", "-tokens", "tokens", "-calls", "calls"}

// arrange sorts the rows and keeps those of the first top groups. Rows that sum up other groups
// come last: in each period, or in the report if it is ordered by a figure.
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

// summed returns 1 for a row that sums up other groups, else 0.
func (r *Row) summed() int { return min(r.OtherGroups, 1) }

// compare compares rows by an order other than ByPeriod. Unknown costs come after known costs in
// descending order, and before them in ascending order.
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

// keep keeps the rows of the first groups by the order over all periods, and adds to each period a
// row that sums up the other groups. For ByPeriod the groups are ordered by cost, greatest first.
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
	others := -1 // index in kept of the row of the period's other groups
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
			kept = append(kept,
				Row{Period: row.Period, Group: grouping.NewGroup(r.GroupBy, make([]string, len(r.GroupBy))),
					Others: Others{1}, Figures: row.Figures})
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

// key returns a text that identifies a group.
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
