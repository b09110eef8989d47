package prices_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"tapedeck/query/pricing/prices"
)

var (
	units  = []string{"input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok", "output_audio_mtok", "input_audio_mtok", "cache_audio_read_mtok", "web_searches_kcount", "requests_kcount"}
	starts = []int64{100, 200, 5000}
	days   = []string{"2026-03-01", "2026-03-15", "2026-04-01"}
	hours  = []string{"00:30:00Z", "08:00:00+01:00", "16:30:00Z", "23:00:00Z"}
	words  = map[string][]string{
		"model": {"m1", "m2", "m1", "m2", "m3"}, "tenant": {"t1", "t2"}, "service_tier": {"", "", "", "", "", "batch"},
		"speed": {"", "", "", "", "", "fast"}, "region": {"", "us"}, "tag": {"", "c1", "c2"},
	}
)

func drawPrice(t *rapid.T) any {
	number := func() json.Number {
		return json.Number(decimal.New(rapid.Int64Range(0, 99999).Draw(t, "price"), -4).String())
	}
	var tiers []any
	for _, start := range rapid.SliceOfNDistinct(rapid.SampledFrom(starts), 0, 2, rapid.ID[int64]).Draw(t, "tiers") {
		tiers = append(tiers, map[string]any{"start": start, "price": number()})
	}
	if tiers == nil {
		return number()
	}
	return map[string]any{"base": number(), "tiers": tiers}
}

func drawSet(t *rapid.T, least int) map[string]any {
	set := map[string]any{}
	for _, unit := range rapid.SliceOfNDistinct(rapid.SampledFrom(units), least, 8, rapid.ID[string]).Draw(t, "units") {
		set[unit] = drawPrice(t)
	}
	if least > 0 && rapid.IntRange(0, 7).Draw(t, "complete") > 0 {
		set["input_mtok"], set["output_mtok"] = drawPrice(t), drawPrice(t)
	}
	return set
}

// drawTimes draws two times of day, days of the week, or both.
func drawTimes(t *rapid.T) map[string]any {
	times := map[string]any{"start_time": rapid.SampledFrom(hours).Draw(t, "from"), "end_time": rapid.SampledFrom(hours).Draw(t, "to")}
	if rapid.Bool().Draw(t, "by day") {
		times["weekdays"] = rapid.SampledFrom([][]string{{"mon", "tue", "wed", "thu", "fri"}, {"sun"}, {"sat", "mon"}}).Draw(t, "days")
		if rapid.Bool().Draw(t, "all day") {
			delete(times, "start_time")
			delete(times, "end_time")
		}
	}
	return times
}

// drawTable makes a table of two models whose prices change by date and by time of day.
func drawTable(t *rapid.T) *prices.Table {
	var models []any
	for _, id := range words["model"][:2] {
		periods := []any{map[string]any{"prices": drawSet(t, 1)}}
		for range rapid.IntRange(0, 3).Draw(t, "periods") {
			constraint := map[string]any{"start_date": rapid.SampledFrom(days).Draw(t, "start")}
			if rapid.Bool().Draw(t, "by time") {
				if rapid.Bool().Draw(t, "at any date") {
					delete(constraint, "start_date")
				}
				maps.Copy(constraint, drawTimes(t))
			}
			periods = append(periods, map[string]any{"constraint": constraint, "prices": drawSet(t, 1)})
		}
		models = append(models, map[string]any{"id": id, "match": map[string]any{"equals": id}, "prices": periods})
	}
	text, err := json.Marshal(map[string]any{
		"source":    map[string]any{},
		"providers": []any{map[string]any{"id": "p", "models": models}},
	})
	if err != nil {
		t.Fatal(err)
	}
	table, err := prices.Load(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return table
}

// drawRules makes rules as a price file has them; JSON is YAML.
func drawRules(t *rapid.T, factorsOnly bool) []any {
	rules := []any{}
	for i := range rapid.IntRange(0, 3).Draw(t, "rules") {
		// The number in max_input_tokens keeps the scopes of rules apart.
		rule := map[string]any{"max_input_tokens": 10_000_000 + i}
		if rapid.Bool().Draw(t, "limited") {
			rule["max_input_tokens"] = 150 + i
		}
		for _, name := range slices.Sorted(maps.Keys(words)) {
			if v := rapid.SampledFrom(words[name]).Draw(t, name); v != "" && rapid.Bool().Draw(t, "scoped") {
				rule[name] = v
				if name == "tag" {
					rule[name] = map[string]any{"customer": v}
				}
			}
		}
		if rapid.Bool().Draw(t, "dated") {
			rule["from"] = rapid.SampledFrom(days).Draw(t, "from")
		}
		if rapid.Bool().Draw(t, "by time") {
			maps.Copy(rule, drawTimes(t))
		}
		if factorsOnly || rapid.Bool().Draw(t, "factor") {
			rule["factor"] = json.Number(decimal.New(rapid.Int64Range(0, 3000).Draw(t, "factor"), -3).String())
			if rapid.Bool().Draw(t, "tokens") {
				rule["units"] = "tokens"
			}
		} else {
			rule["prices"] = drawSet(t, 1)
			rule["whole"] = rapid.Bool().Draw(t, "whole")
		}
		rules = append(rules, rule)
	}
	return rules
}

func drawOperator(t *rapid.T) *prices.Operator {
	file := map[string]any{"prices": drawRules(t, false), "discounts": drawRules(t, true), "margins": drawRules(t, true)}
	if rapid.Bool().Draw(t, "euro") {
		file["currency"] = "EUR"
		file["rates"] = []any{map[string]any{"from": "2026-03-10", "usd": json.Number("0.9175")}, map[string]any{"from": "2026-03-20", "usd": json.Number("0.93")}}
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := prices.ReadFile("prices.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return o
}

// drawCall makes a call that differs from those of the same kind in its time and usage.
func drawCall(t *rapid.T, kinds []prices.Call) (prices.Call, prices.Usage) {
	c := rapid.SampledFrom(kinds).Draw(t, "kind")
	c.At = c.At.Add(time.Duration(rapid.Int64Range(0, 40*24*60).Draw(t, "minute")) * time.Minute)
	if rapid.Bool().Draw(t, "near") {
		c.At = time.Date(2026, 3, 16, 10, rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, time.UTC)
	}
	return c, drawUsage(t)
}

func drawKind(t *rapid.T) prices.Call {
	c := prices.Call{
		Provider: "p", Model: rapid.SampledFrom(words["model"]).Draw(t, "model"), Tenant: rapid.SampledFrom(words["tenant"]).Draw(t, "tenant"),
		ServiceTier: rapid.SampledFrom(words["service_tier"]).Draw(t, "tier"), Speed: rapid.SampledFrom(words["speed"]).Draw(t, "speed"),
		Region: rapid.SampledFrom(words["region"]).Draw(t, "region"),
		At:     time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC),
	}
	if tag := rapid.SampledFrom(words["tag"]).Draw(t, "tag"); tag != "" {
		c.Tags = map[string]string{"customer": tag, "other": "x"}
	}
	return c
}

func drawUsage(t *rapid.T) prices.Usage {
	// The parts are drawn, so that none is greater than what contains it.
	n := func(name string) int64 { return max(0, rapid.Int64Range(-50, 300).Draw(t, name)) }
	read, write, hour, text, audio, out := n("read"), n("write"), n("hour"), n("text"), n("audio"), n("out")
	heard, heardAgain := n("heard"), n("heard again")
	usage := prices.Usage{}
	for name, count := range map[string]int64{
		prices.InputTokens: read + write + hour + text + heard + heardAgain, prices.CacheReadTokens: read + heardAgain, prices.CacheWriteTokens: write + hour,
		prices.InputAudioTokens: heard + heardAgain, prices.CacheAudioRead: heardAgain,
		prices.CacheWrite1hTokens: hour, prices.OutputTokens: audio + out, prices.OutputAudioTokens: audio, prices.WebSearches: n("searches"),
	} {
		usage[name] = decimal.NewFromInt(count)
	}
	return usage
}

// cellOf groups a call as the documentation of Splits says.
func cellOf(s prices.Splits, c prices.Call, used prices.Usage) string {
	tier, instant, hour := 0, 0, 0
	for _, start := range s.TierStarts {
		if used[prices.InputTokens].GreaterThan(decimal.NewFromInt(start)) {
			tier++
		}
	}
	for _, at := range s.Instants {
		if !at.After(c.At) {
			instant++
		}
	}
	for _, at := range s.TimesOfDay {
		if at <= c.At.Sub(c.At.Truncate(24*time.Hour)) {
			hour++
		}
	}
	days := 0
	for _, day := range s.Weekdays {
		if day <= (int(c.At.Weekday())+6)%7 {
			days++
		}
	}
	key := fmt.Sprintf("%q %q %q %q %q %q %d %d %d %d", c.Provider, c.Model, c.Tenant, c.ServiceTier, c.Speed, c.Region, tier, instant, hour, days)
	for _, tag := range s.Tags {
		value, ok := c.Tags[tag]
		key += fmt.Sprintf(" %q %t", value, ok)
	}
	for _, unit := range s.Presence {
		key += fmt.Sprintf(" %t", used[unit].IsPositive())
	}
	return key
}

// TestCellsAreLinear compares the cost of the sums of a cell with the sum of the costs of
// its calls: they are the same decimals, and a cost that is unknown is so for all of them.
func TestCellsAreLinear(t *testing.T) {
	several := 0 // cells of several calls that have a cost
	rapid.Check(t, func(t *rapid.T) {
		overlay := drawOperator(t).Prices
		e, err := prices.Combine(drawTable(t), overlay, drawOperator(t))
		if err != nil {
			t.Fatal(err)
		}
		type cell struct {
			cell              prices.Cell
			sums              prices.Usage
			total, in, out    decimal.Decimal
			list, contracted  decimal.Decimal
			listed, contracts bool
			reason            prices.Reason
		}
		cells := map[string]*cell{}
		kinds := rapid.SliceOfN(rapid.Custom(drawKind), 1, 3).Draw(t, "kinds")
		splits := e.Splits()
		if rapid.Bool().Draw(t, "of the models alone") {
			var models []prices.Named
			for _, kind := range kinds {
				models = append(models, prices.Named{Provider: kind.Provider, Model: kind.Model})
			}
			splits = e.SplitsOf(models)
		}
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			call, used := drawCall(t, kinds)
			cost, err := e.Price(call, used)
			var why prices.Unpriced
			if u, ok := errors.AsType[*prices.Unpriced](err); ok {
				why = *u
			} else if err != nil {
				t.Fatal(err)
			}
			key := cellOf(splits, call, used)
			c, known := cells[key]
			if !known {
				c = &cell{cell: prices.Cell{Call: call, InputTokens: used[prices.InputTokens].IntPart()}, sums: prices.Usage{}, reason: why.Reason}
				cells[key] = c
			}
			if c.reason != why.Reason {
				t.Fatalf("calls of one cell have the reasons %q and %q", c.reason, why.Reason)
			}
			c.cell.Calls++
			for unit, n := range used {
				c.sums[unit] = c.sums[unit].Add(n)
			}
			if why.Reason != "" {
				continue
			}
			c.total, c.in, c.out = c.total.Add(cost.Total), c.in.Add(cost.Input), c.out.Add(cost.Output)
			c.list, c.contracted = c.list.Add(cost.List.Decimal), c.contracted.Add(cost.Contracted.Decimal)
			c.listed, c.contracts = cost.List.Valid, cost.Contracted.Valid
		}
		for key, c := range cells {
			cost, err := e.PriceCell(c.cell, c.sums)
			if c.reason != "" {
				if u, ok := errors.AsType[*prices.Unpriced](err); !ok || u.Reason != c.reason {
					t.Fatalf("cell %s: %v, expected the reason %s", key, err, c.reason)
				}
				continue
			}
			if err != nil {
				t.Fatalf("cell %s: %v", key, err)
			}
			if c.cell.Calls > 1 && c.total.IsPositive() {
				several++
			}
			if !cost.Total.Equal(c.total) || !cost.Input.Equal(c.in) || !cost.Output.Equal(c.out) || cost.List.Valid != c.listed ||
				!cost.List.Decimal.Equal(c.list) || cost.Contracted.Valid != c.contracts || !cost.Contracted.Decimal.Equal(c.contracted) {
				t.Fatalf("cell %s: %+v, expected %s = %s + %s, list %s, contracted %s", key, cost, c.total, c.in, c.out, c.list, c.contracted)
			}
		}
	})
	if several < 50 {
		t.Errorf("%d cells of several calls have a cost", several)
	}
}

// TestCanonicalText reads the text of an effective table again: the hash stays the same.
func TestCanonicalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := prices.Combine(drawTable(t), drawOperator(t).Prices, drawOperator(t))
		if err != nil {
			t.Fatal(err)
		}
		again, err := prices.LoadEffective(e.Text())
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash() != e.Hash() {
			t.Errorf("hash %s, of its text read again %s", e.Hash(), again.Hash())
		}
	})
}
