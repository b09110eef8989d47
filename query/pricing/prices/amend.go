package prices

import (
	"slices"
	"strings"
)

// longContext is the number of input tokens above which OpenAI charges long-context prices for all
// its models ("more than 272K"). In published tables this tier begins one token lower for some
// models.
const longContext = 272_000

// amend turns a published table into the list by which calls are charged. It corrects the start of
// OpenAI's long-context tier, limits prices by time of day to their dates and days, and adds the
// models that the table lacks. It is applied only to tables that were just read: stored tables are
// amended already, and their hash is the hash of the stored text.
func (t *Table) amend(o *overlayContent) {
	for i := range t.Providers {
		p := &t.Providers[i]
		if prefix := o.names[p.ID]; prefix != "" && p.ModelMatch == nil {
			p.ModelMatch = &Clause{StartsWith: prefix}
		}
		for j := range p.Models {
			m := &p.Models[j]
			for k := range m.Prices {
				m.Prices[k].Prices.correctLongContext()
			}
			m.Prices.dateTimes()
			for d := range o.days {
				if o.days[d].scope.MayHold(p.ID, m.ID, m.ID) {
					m.Prices.limitDays(&o.days[d].scope.Recurring)
				}
			}
		}
		var added []Model
		for _, m := range o.models {
			has := func(of Model) bool { return strings.EqualFold(of.ID, m.ID) }
			if m.provider == p.ID && !slices.ContainsFunc(p.Models, has) {
				added = append(added, m.Model)
			}
		}
		// Added models come first: their exact names take precedence over prefixes of other models.
		p.Models = slices.Concat(added, p.Models)
	}
}

func (s Set) correctLongContext() {
	for _, price := range s {
		for i := range price.Tiers {
			if price.Tiers[i].Start == longContext-1 {
				price.Tiers[i].Start = longContext
			}
		}
	}
}

// dateTimes sets the start date of prices by time of day to the last date before them in the list.
// They belong to the tariff that began on that date and must not apply earlier.
func (p Periods) dateTimes() {
	var last Constraint
	for i := range p {
		c := &p[i].Constraint
		if c.StartDate == "" && !c.unlimited() && last.StartDate != "" {
			c.StartDate, c.from = last.StartDate, last.from
		}
		if c.StartDate != "" {
			last = *c
		}
	}
}

// limitDays limits prices by time of day to the given days of the week, if the list states no days.
func (p Periods) limitDays(days *Recurring) {
	for i := range p {
		if r := &p[i].Constraint.Recurring; r.timed() && len(r.Weekdays) == 0 {
			r.Weekdays, r.days = days.Weekdays, days.days
		}
	}
}
