package cost

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"tapedeck/query/pricing/prices"
)

// ModelSplits says how the records of each model of a class are split into cells. There are fewer
// cells than with a Split, in which a price change of one model splits the records of all models.
type ModelSplits struct {
	Tiers, Instants, Times, Weekdays []ModelSplit
}

// ModelSplit lists the values at which the price of some models changes.
type ModelSplit struct {
	At     []int64 // sorted
	Models []string
}

// SplitByModel returns the splits of records of some models in a range; a zero time is no limit.
// The records are also priced as calls of the models in as.
func SplitByModel(models, as []prices.Named, from, to time.Time, tables ...*prices.Effective) ModelSplits {
	byModel := map[string][]prices.Named{}
	for _, m := range models {
		byModel[m.Model] = append(byModel[m.Model], m)
	}
	var s ModelSplits
	for _, m := range models {
		named := byModel[m.Model]
		if named == nil {
			continue // added before
		}
		delete(byModel, m.Model)
		split := SplitFor(append(slices.Clone(as), named...), tables...).Within(from, to)
		var instants, times, weekdays []int64
		for _, t := range split.Instants {
			instants = append(instants, t.UnixNano())
		}
		for _, d := range split.TimesOfDay {
			times = append(times, int64(d))
		}
		for _, d := range split.Weekdays {
			weekdays = append(weekdays, int64(d))
		}
		s.Tiers, s.Instants = add(s.Tiers, split.TierStarts, m.Model), add(s.Instants, instants, m.Model)
		s.Times = add(s.Times, times, m.Model)
		s.Weekdays = add(s.Weekdays, weekdays, m.Model)
	}
	return s
}

// add adds a model to the entry with the same values.
func add(list []ModelSplit, at []int64, model string) []ModelSplit {
	if len(at) == 0 {
		return list
	}
	for i := range list {
		if slices.Equal(list[i].At, at) {
			list[i].Models = append(list[i].Models, model)
			return list
		}
	}
	return append(list, ModelSplit{at, []string{model}})
}

// Parameters returns the parameters of the template "model_splits". Each list of values begins with
// a value below all others, for roundDown.
func (s ModelSplits) Parameters() map[string]any {
	a := map[string]any{}
	for name, list := range map[string][]ModelSplit{
		"tiers": s.Tiers, "instants": s.Instants, "times": s.Times, "weekdays": s.Weekdays,
	} {
		for i, of := range list {
			a[fmt.Sprintf("%s_of_%d", name, i)] = of.Models
			a[name+"_"+strconv.Itoa(i)] = append([]int64{math.MinInt64}, of.At...)
		}
	}
	return a
}
