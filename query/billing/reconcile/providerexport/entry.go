package providerexport

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Bucket is a kind of figure that is compared.
type Bucket string

// The buckets. CacheWrite is the sum of both lifetimes, for exports that do not separate them.
// Output includes reasoning.
const (
	Calls        Bucket = "calls"
	Input        Bucket = "input"
	CacheRead    Bucket = "cache_read"
	CacheWrite   Bucket = "cache_write"
	CacheWrite5m Bucket = "cache_write_5m"
	CacheWrite1h Bucket = "cache_write_1h"
	Output       Bucket = "output"
	Money        Bucket = "cost"
)

// Buckets lists all buckets, in their order.
var Buckets = [...]Bucket{Calls, Input, CacheRead, CacheWrite, CacheWrite5m, CacheWrite1h, Output, Money}

// entry is what a row adds to the sums of a day and a model.
type entry struct {
	day      string // 2006-01-02 in UTC
	model    string // "" if the row names none
	counts   map[Bucket]int64
	cost     decimal.Decimal
	currency string // of cost
}

func readOpenAIUsage(r *row) entry {
	e := entry{day: r.unixDay("start_time", "end_time"), model: r.text("model")}
	if object := r.text("object"); object != "" && object != "organization.usage.completions.result" {
		r.fail("object", "%.60q is not compared; export the usage of completions", object)
	}
	cached, written := r.optionalCount("input_cached_tokens"), r.optionalCount("input_cache_write_tokens")
	input := r.count("input_tokens") - cached - written
	if r.err == nil && input < 0 {
		r.fail("input_tokens", "%s is less than what was read from a cache and written to one, which it includes",
			r.text("input_tokens"))
	}
	e.counts = map[Bucket]int64{Input: input, CacheRead: cached, Output: r.count("output_tokens")}
	if r.has("input_cache_write_tokens") {
		e.counts[CacheWrite] = written
	}
	if r.has("num_model_requests") {
		e.counts[Calls] = r.optionalCount("num_model_requests")
	}
	return e
}

// readOpenAICost reads a cost in currency units. A line item such as "gpt-5-mini-2025-08-07, input"
// begins with its model.
func readOpenAICost(r *row, amount, currency string) entry {
	model, _, _ := strings.Cut(r.text("line_item"), ", ")
	return entry{
		day: r.unixDay("start_time", "end_time"), model: model, cost: r.amount(amount), currency: r.currency(currency),
	}
}

func readAnthropicUsageJSON(r *row) entry {
	return entry{
		day: r.instantDay("starting_at", "ending_at"), model: r.text("model"),
		counts: map[Bucket]int64{
			Input: r.count("uncached_input_tokens"), CacheRead: r.count("cache_read_input_tokens"),
			CacheWrite5m: r.count("cache_creation.ephemeral_5m_input_tokens"),
			CacheWrite1h: r.count("cache_creation.ephemeral_1h_input_tokens"),
			Output:       r.count("output_tokens"),
		},
	}
}

// readAnthropicCostJSON reads an amount in the lowest unit of its currency. Only USD is documented,
// so that the unit is the cent.
func readAnthropicCostJSON(r *row) entry {
	e := entry{
		day: r.instantDay("starting_at", "ending_at"), model: r.text("model"),
		cost: r.amount("amount").Shift(-2), currency: r.currency("currency"),
	}
	if r.err == nil && e.currency != "USD" {
		r.fail("currency", "%s is not documented for this report: USD is", e.currency)
	}
	return e
}

func readConsoleUsage(r *row) entry {
	return entry{
		day: r.date("usage_date_utc"), model: r.text("model_version"),
		counts: map[Bucket]int64{
			Input: r.count("usage_input_tokens_no_cache"), CacheRead: r.count("usage_input_tokens_cache_read"),
			CacheWrite5m: r.count("usage_input_tokens_cache_write_5m"),
			CacheWrite1h: r.count("usage_input_tokens_cache_write_1h"),
			Output:       r.count("usage_output_tokens"),
		},
	}
}

func readConsoleCost(r *row) entry {
	return entry{day: r.date("usage_date_utc"), model: r.text("model"), cost: r.amount("cost_usd"), currency: "USD"}
}
