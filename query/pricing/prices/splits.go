package prices

import (
	"slices"
	"time"
)

// Splits says how calls are grouped so that each group is a Cell, in addition to provider, model,
// service tier, speed, region and tenant. All lists are sorted. Calls with invalid usage (a part
// greater than the quantity that contains it) belong to no cell.
type Splits struct {
	TierStarts []int64         // a call belongs to tier n if n of them are below its input tokens, cache included
	Instants   []time.Time     // prices change at them: group by the number of those that are not after the call
	TimesOfDay []time.Duration // since midnight in UTC: group by the number of those that are not after the call's
	Weekdays   []int           // 0 is Monday, in UTC: group by the number of those that are not after the call's
	Tags       []string        // group by the values of these tags, and by whether a call has them
	// Presence lists units that a price set may lack a price of: group by whether the call used
	// any of each. Of the units that recorded usage has, a part that has no price is within
	// input_tokens or output_tokens, which then have none either.
	Presence []string
}

var presence = []string{CacheAudioRead, CacheImageRead, CacheVideoRead, InputTokens, OutputTokens}

// Splits returns the splits of the table. Its lists must not be changed.
func (e *Effective) Splits() Splits { return e.splits }

// Named is a model under the names that sources use. Either name may be empty.
type Named struct{ Provider, Model string }

// SplitsOf returns the splits of calls of some models only. Tags are the same as in Splits.
func (e *Effective) SplitsOf(models []Named) Splits {
	var s Splits
	subjects := make([]subject, len(models))
	for i, named := range models {
		subjects[i].Provider, subjects[i].Model = named.Provider, named.Model
		provider, model, err := e.entries.of(e.content.Table, named.Provider, named.Model)
		if err == nil {
			subjects[i].providerID, subjects[i].modelID = provider.ID, model.ID
			s.model(model)
		}
	}
	s.rules(e, func(scope *Scope) bool {
		return slices.ContainsFunc(subjects, func(c subject) bool {
			return among(scope.Provider, c.Provider, c.providerID) && among(scope.Model, c.Model, c.modelID)
		})
	})
	s.sort()
	s.Tags = e.splits.Tags
	return s
}

func (e *Effective) findSplits() Splits {
	var s Splits
	for _, p := range e.content.Table.Providers {
		for i := range p.Models {
			s.model(&p.Models[i])
		}
	}
	s.rules(e, func(*Scope) bool { return true })
	s.sort()
	return s
}

func (s *Splits) model(m *Model) {
	for _, period := range m.Prices {
		s.constraint(&period.Constraint)
		s.set(period.Prices)
	}
}

// rules adds the splits of the selected rules and plans, and of the operator's rates.
func (s *Splits) rules(e *Effective, selected func(*Scope) bool) {
	lists := [][]Rule{e.content.Overlay}
	if o := e.content.Operator; o != nil {
		lists = append(lists, o.Prices, o.Discounts, o.Margins)
		for _, r := range o.Rates {
			s.instant(r.From)
		}
	}
	for _, rules := range lists {
		for i := range rules {
			if selected(&rules[i].Scope) {
				s.scope(&rules[i].Scope)
				s.set(rules[i].Prices)
			}
		}
	}
	if !e.splitPlans {
		return
	}
	for i := range e.plans {
		if selected(&e.plans[i].Scope) {
			s.scope(&e.plans[i].Scope)
		}
	}
}

func (s *Splits) scope(of *Scope) {
	s.instant(of.From)
	s.instant(of.To)
	s.recurring(&of.Recurring)
	if of.MaxInput > 0 {
		s.TierStarts = append(s.TierStarts, of.MaxInput)
	}
	for tag := range of.Tags {
		s.Tags = append(s.Tags, tag)
	}
}

func (s *Splits) instant(t time.Time) {
	if !t.IsZero() {
		s.Instants = append(s.Instants, t)
	}
}

func (s *Splits) constraint(c *Constraint) {
	s.instant(c.from)
	s.recurring(&c.Recurring)
}

func (s *Splits) recurring(r *Recurring) {
	if r.timed() {
		s.TimesOfDay = append(s.TimesOfDay, r.start, r.end)
	}
	s.Weekdays = append(s.Weekdays, r.days.changes()...)
}

func (s *Splits) set(set Set) {
	for _, price := range set {
		for _, t := range price.Tiers {
			s.TierStarts = append(s.TierStarts, t.Start)
		}
	}
}

func (s *Splits) sort() {
	slices.Sort(s.TierStarts)
	slices.SortFunc(s.Instants, time.Time.Compare)
	slices.Sort(s.TimesOfDay)
	slices.Sort(s.Weekdays)
	s.Weekdays = slices.Compact(s.Weekdays)
	slices.Sort(s.Tags)
	s.Presence = presence
	s.TierStarts, s.TimesOfDay, s.Tags = slices.Compact(s.TierStarts), slices.Compact(s.TimesOfDay),
		slices.Compact(s.Tags)
	s.Instants = slices.CompactFunc(s.Instants, time.Time.Equal)
}
