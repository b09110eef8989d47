package bills

import (
	"fmt"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/endpoint"
)

// RowFilter selects the rows of lines of a bill by the members of a line that identify it. A nil
// member selects all rows; an empty text selects the rows in which the member is unknown.
type RowFilter struct {
	Class                         *Class
	Period, Provider, Model, Unit *string
	Unpriced                      *bool
	Tag                           *TagValue
}

// TagValue is a tag and its value. The value "" selects the rows without the tag.
type TagValue struct{ Tag, Value string }

// classes are the values of Class. The empty class is that of the charges of the bill's period.
var classes = []Class{Correction}

// readRowFilter reads the parameters of a RowFilter.
func readRowFilter(p *endpoint.Params) RowFilter {
	var f RowFilter
	if class := endpoint.OneOf(p, "class", classes); p.Has("class") {
		f.Class = &class
	}
	f.Period, f.Provider = textOf(p, "charge_period"), textOf(p, "provider")
	f.Model, f.Unit = textOf(p, "model"), textOf(p, "unit")
	if unpriced := p.Flag("unpriced"); p.Has("unpriced") {
		f.Unpriced = &unpriced
	}
	if text := textOf(p, "tag"); text != nil {
		name, value, valued := strings.Cut(*text, ":")
		if name == "" || !valued {
			p.Refuse("tag", *text, "has no name or no value", "name:value", "name: for the charges without the tag")
		}
		f.Tag = &TagValue{name, value}
	}
	return f
}

// textOf reads a text in which "" has a meaning; nil if the parameter is left out.
func textOf(p *endpoint.Params, name string) *string {
	if text := p.Text(name); p.Has(name) {
		return &text
	}
	return nil
}

// member is a member of a RowFilter that selects some rows.
type member struct {
	name  string // of the parameter
	value string
	of    func(*Row) string // the value of a row
}

// members returns the members that select some rows, in the order of the parameters.
func (f *RowFilter) members() []member {
	var list []member
	text := func(name string, value *string, of func(*Row) string) {
		if value != nil {
			list = append(list, member{name, *value, of})
		}
	}
	text("class", (*string)(f.Class), func(r *Row) string { return string(r.Class) })
	text("charge_period", f.Period, func(r *Row) string { return r.Period })
	text("provider", f.Provider, func(r *Row) string { return r.Provider })
	text("model", f.Model, func(r *Row) string { return r.Model })
	text("unit", f.Unit, func(r *Row) string { return r.Unit })
	if f.Unpriced != nil {
		list = append(list, member{"unpriced", fmt.Sprint(boolean(*f.Unpriced)),
			func(r *Row) string { return fmt.Sprint(boolean(!r.BilledCost.Valid)) }})
	}
	if f.Tag != nil {
		list = append(list, member{"tag", f.Tag.Value, func(r *Row) string { return r.Tags[f.Tag.Tag] }})
	}
	return list
}

// selects returns a function that reports whether a row passes the filter.
func (f *RowFilter) selects() func(*Row) bool {
	members := f.members()
	return func(r *Row) bool {
		for _, m := range members {
			if m.of(r) != m.value {
				return false
			}
		}
		return true
	}
}

// arguments adds the parameters of the template "of_lines" and returns the names of the members
// that select some rows.
func (f *RowFilter) arguments(a query.Args) []string {
	var names []string
	for _, m := range f.members() {
		names = append(names, m.name)
		a["row_"+m.name] = m.value
	}
	if f.Tag != nil {
		a["row_tag_name"] = f.Tag.Tag
	}
	return names
}

// none returns the problem of a filter that selects no row of a bill. bill names the bill.
func (f *RowFilter) none(bill string) error {
	members := f.members()
	first := members[0].name
	texts := make([]string, len(members))
	for i, m := range members {
		value := m.value
		if m.name == "tag" {
			value = f.Tag.Tag + ":" + value
		}
		texts[i] = fmt.Sprintf("%s %q", m.name, value)
	}
	return problem.BadParameter(first, fmt.Sprintf("%s has no row of %s.", bill, strings.Join(texts, ", ")),
		"the members of a line of the bill")
}
