package prices

import (
	"slices"
	"time"
)

// Splits says by what else than their provider, model, service tier, speed, region and
// tenant calls are grouped so that each group is a Cell. All lists are sorted. Calls whose
// usage is invalid (a part greater than what contains it) belong to no cell.
type Splits struct {
	TierStarts []int64         // a call belongs to tier n if n of them are below its input tokens, cache included
	Instants   []time.Time     // prices change at them: group by the number of those that are not after the call
	TimesOfDay []time.Duration // since midnight in UTC: group by the number of those that are not after the call's
	Tags       []string        // group by the values of these tags, and by whether a call has them
	// Presence lists units that not every price set of the table has a price for: group by
	// whether the call used any of each.
	Presence []string
}

// Splits returns the splits of the table. Its lists must not be changed.
func (e *Effective) Splits() Splits { return e.splits }

func (e *Effective) findSplits() Splits {
	var s Splits
	for _, p := range e.content.Table.Providers {
		for _, m := range p.Models {
			for _, period := range m.Prices {
				s.constraint(&period.Constraint)
				s.set(period.Prices)
			}
		}
	}
	for i := range e.content.Overlay {
		s.rule(&e.content.Overlay[i])
	}
	if o := e.content.Operator; o != nil {
		for _, rules := range [][]Rule{o.Prices, o.Discounts, o.Margins} {
			for i := range rules {
				s.rule(&rules[i])
			}
		}
		for _, r := range o.Rates {
			s.instant(r.From)
		}
	}
	s.sort()
	return s
}

func (s *Splits) rule(r *Rule) {
	s.instant(r.Scope.From)
	s.instant(r.Scope.To)
	if r.Scope.MaxInput > 0 {
		s.TierStarts = append(s.TierStarts, r.Scope.MaxInput)
	}
	for tag := range r.Scope.Tags {
		s.Tags = append(s.Tags, tag)
	}
	if len(r.Prices) > 0 {
		s.set(r.Prices)
	}
}

func (s *Splits) instant(t time.Time) {
	if !t.IsZero() {
		s.Instants = append(s.Instants, t)
	}
}

func (s *Splits) constraint(c *Constraint) {
	s.instant(c.from)
	if c.StartTime != "" {
		s.TimesOfDay = append(s.TimesOfDay, c.start, c.end)
	}
}

// set adds the splits of a set of prices. Of the units that recorded usage has, a part that
// is not covered is within input_tokens or output_tokens, which then are not covered either.
func (s *Splits) set(set Set) {
	for _, price := range set {
		for _, t := range price.Tiers {
			s.TierStarts = append(s.TierStarts, t.Start)
		}
	}
	for _, name := range []string{InputTokens, OutputTokens} {
		if !set.covered(unitsByName[name]) && !slices.Contains(s.Presence, name) {
			s.Presence = append(s.Presence, name)
		}
	}
	for _, name := range []string{CacheAudioRead, CacheImageRead, CacheVideoRead} {
		if set.ambiguous(unitsByName[name]) && !slices.Contains(s.Presence, name) {
			s.Presence = append(s.Presence, name)
		}
	}
}

func (s *Splits) sort() {
	slices.Sort(s.TierStarts)
	slices.SortFunc(s.Instants, time.Time.Compare)
	slices.Sort(s.TimesOfDay)
	slices.Sort(s.Tags)
	slices.Sort(s.Presence)
	s.TierStarts, s.TimesOfDay, s.Tags = slices.Compact(s.TierStarts), slices.Compact(s.TimesOfDay), slices.Compact(s.Tags)
	s.Instants = slices.CompactFunc(s.Instants, time.Time.Equal)
}
