package cost

import (
	"math"
	"slices"
	"time"

	"tapedeck/query/pricing/prices"
)

// Key holds the values that the records of a cell share, as the template "cell_columns" selects
// them. At and InputTokens are the values of any one record.
type Key struct {
	Provider    string   `ch:"cell_provider"`
	Model       string   `ch:"cell_model"`
	ServiceTier string   `ch:"cell_service_tier"`
	Speed       string   `ch:"cell_speed"`
	Region      string   `ch:"cell_region"`
	At          int64    `ch:"cell_at"`    // ns
	InputTokens int64    `ch:"cell_input"` // including cache tokens
	Valid       bool     `ch:"cell_valid"` // Quantities.Possible holds for each record
	Rest        bool     `ch:"cell_rest"`  // the records are the parts of totals beyond the reported calls
	Tags        []string `ch:"cell_tags"`  // the values of the splits' tags, "" for none
}

// Cell is a set of usage records with equal Key, and their sums.
type Cell struct {
	Key
	Quantities
}

// Split describes how a statement groups records into cells.
type Split struct{ prices.Splits }

// SplitOf returns the split whose cells have one price in each of the tables.
func SplitOf(tables ...*prices.Effective) Split {
	var list []prices.Splits
	for _, t := range tables {
		list = append(list, t.Splits())
	}
	return merge(list)
}

// SplitFor is SplitOf for records of some models only, which yields fewer cells.
func SplitFor(models []prices.Named, tables ...*prices.Effective) Split {
	var list []prices.Splits
	for _, t := range tables {
		list = append(list, t.SplitsOf(models))
	}
	return merge(list)
}

func merge(list []prices.Splits) Split {
	var all Split
	for _, s := range list {
		all.TierStarts = append(all.TierStarts, s.TierStarts...)
		all.Instants = append(all.Instants, s.Instants...)
		all.TimesOfDay = append(all.TimesOfDay, s.TimesOfDay...)
		all.Weekdays = append(all.Weekdays, s.Weekdays...)
		all.Tags = append(all.Tags, s.Tags...)
	}
	slices.Sort(all.TierStarts)
	slices.Sort(all.TimesOfDay)
	slices.Sort(all.Weekdays)
	slices.Sort(all.Tags)
	slices.SortFunc(all.Instants, time.Time.Compare)
	all.TierStarts, all.TimesOfDay = slices.Compact(all.TierStarts), slices.Compact(all.TimesOfDay)
	all.Tags, all.Weekdays = slices.Compact(all.Tags), slices.Compact(all.Weekdays)
	all.Instants = slices.CompactFunc(all.Instants, time.Time.Equal)
	return all
}

// Within removes the instants outside of a range at which prices change; a zero time is no limit.
func (s Split) Within(from, to time.Time) Split {
	s.Instants = slices.DeleteFunc(slices.Clone(s.Instants), func(t time.Time) bool {
		return !from.IsZero() && !t.After(from) || !to.IsZero() && !t.Before(to)
	})
	return s
}

// Parameters returns the parameters of the templates of cells. Each list begins with a value below
// all others for roundDown: values before the first split map to it.
func (s Split) Parameters() map[string]any {
	instants, times, weekdays := []int64{math.MinInt64}, []int64{math.MinInt64}, []int64{math.MinInt64}
	for _, t := range s.Instants {
		instants = append(instants, t.UnixNano())
	}
	for _, d := range s.TimesOfDay {
		times = append(times, int64(d))
	}
	for _, d := range s.Weekdays {
		weekdays = append(weekdays, int64(d))
	}
	starts := append([]int64{math.MinInt64}, s.TierStarts...)
	return map[string]any{
		"tier_starts": starts, "price_instants": instants, "price_times": times, "price_weekdays": weekdays,
	}
}
