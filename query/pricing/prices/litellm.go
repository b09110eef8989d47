package prices

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// liteLLMProviders maps LiteLLM's names of providers to ids of the table. Entries of other
// providers are skipped: LiteLLM lists one service several times, or prices by units other than
// tokens.
var liteLLMProviders = map[string]string{
	"anthropic": "anthropic", "openai": "openai", "gemini": "google", "bedrock": "aws", "bedrock_converse": "aws",
	"azure": "azure", "xai": "x-ai", "deepseek": "deepseek", "mistral": "mistral", "groq": "groq",
	"together_ai": "together", "openrouter": "openrouter", "fireworks_ai": "fireworks",
	"cohere_chat": "cohere", "cohere": "cohere", "moonshot": "moonshotai",
	"zai": "zai", "perplexity": "perplexity", "cerebras": "cerebras",
}

// liteLLMModes are the kinds of models with prices per token.
var liteLLMModes = []string{"", "chat", "completion", "responses", "embedding"}

// liteLLMUnits maps the fields of an entry to price keys. A field with the suffix
// _above_200k_tokens holds the price of that tier.
var liteLLMUnits = map[string]string{
	"input_cost_per_token":                        "input_mtok",
	"output_cost_per_token":                       "output_mtok",
	"cache_read_input_token_cost":                 "cache_read_mtok",
	"cache_creation_input_token_cost":             "cache_write_mtok",
	"cache_creation_input_token_cost_above_1hr":   "cache_write_1h_mtok",
	"input_cost_per_audio_token":                  "input_audio_mtok",
	"output_cost_per_audio_token":                 "output_audio_mtok",
	"cache_read_input_token_cost_per_audio_token": "cache_audio_read_mtok",
}

// liteLLMTier matches the name of a field that holds the price of a tier.
var liteLLMTier = regexp.MustCompile(`^(.+)_above_(\d+)k_tokens$`)

// readLiteLLM returns the current table with LiteLLM's prices from a date on.
func readLiteLLM(text []byte, date string, current *Table) (*Table, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("read LiteLLM's table: %w", err)
	}
	old, err := json.Marshal(current)
	if err != nil {
		return nil, fmt.Errorf("write the current table: %w", err)
	}
	t, err := Load(old)
	if err != nil {
		return nil, err
	}
	taken, changed := 0, map[*Model]bool{}
	for _, key := range sortedKeys(entries) {
		var head struct {
			Provider string          `json:"litellm_provider"`
			Mode     string          `json:"mode"`
			OffPeak  json.RawMessage `json:"off_peak_pricing"`
		}
		if err := json.Unmarshal(entries[key], &head); err != nil {
			return nil, fmt.Errorf("read LiteLLM's entry %s: %w", key, err)
		}
		provider := t.byID(liteLLMProviders[head.Provider])
		if provider == nil || !slices.Contains(liteLLMModes, head.Mode) || key == "sample_spec" {
			continue
		}
		set, err := liteLLMSet(entries[key])
		if err != nil {
			return nil, fmt.Errorf("LiteLLM's entry %s: %w", key, err)
		}
		if set == nil {
			continue // LiteLLM states 0 for an unknown price
		}
		taken++
		t.take(provider, liteLLMName(head.Provider, key), date, set, head.OffPeak != nil, changed)
	}
	if taken == 0 {
		return nil, errors.New("the file has no entry with litellm_provider, of a provider of the table, and a price of " +
			"tokens: it is not LiteLLM's model_prices_and_context_window.json")
	}
	return t, nil
}

func (t *Table) byID(id string) *Provider {
	for i := range t.Providers {
		if t.Providers[i].ID == id && id != "" {
			return &t.Providers[i]
		}
	}
	return nil
}

// liteLLMName returns the name of a model as sources state it, without LiteLLM's prefix for the
// provider.
func liteLLMName(provider, key string) string {
	name, _ := strings.CutPrefix(strings.ToLower(key), provider+"/")
	return name
}

// liteLLMSet reads the prices of an entry. It returns nil if the entry has neither an input nor an
// output price.
func liteLLMSet(text []byte) (Set, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	set := Set{}
	amount := func(field string) (decimal.Decimal, bool, error) {
		var n *decimal.Decimal
		if err := json.Unmarshal(fields[field], &n); err != nil || n == nil {
			return decimal.Zero, false, err
		}
		if n.IsNegative() {
			return decimal.Zero, false, fmt.Errorf("%s is negative", field)
		}
		return n.Shift(6), true, nil
	}
	for field, key := range liteLLMUnits {
		if fields[field] == nil {
			continue
		}
		price, ok, err := amount(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		if ok {
			set[key] = Price{Base: price}
		}
	}
	if set["input_mtok"].Base.IsZero() && set["output_mtok"].Base.IsZero() {
		return nil, nil
	}
	for _, field := range sortedKeys(fields) {
		parts := liteLLMTier.FindStringSubmatch(field)
		if parts == nil || liteLLMUnits[parts[1]] == "" {
			continue
		}
		price, ok, err := amount(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		start, err := strconv.ParseInt(parts[2], 10, 32)
		of, known := set[liteLLMUnits[parts[1]]]
		if err != nil || !ok || !known {
			continue
		}
		of.Tiers = append(of.Tiers, Tier{Start: start * 1000, Price: price})
		slices.SortFunc(of.Tiers, func(a, b Tier) int { return int(a.Start - b.Start) })
		set[liteLLMUnits[parts[1]]] = of
	}
	return set, nil
}

// take sets the prices of a model from a date on. A model with prices by time of day keeps its
// prices.
func (t *Table) take(p *Provider, name, date string, set Set, byTime bool, changed map[*Model]bool) {
	m := t.modelOf(p, name, false)
	if m == nil || !m.names(name) {
		if !byTime {
			added := Model{ID: name, Match: namesOf(name), Prices: Periods{{Prices: set}}}
			p.Models = slices.Concat(p.Models, []Model{added})
			if m != nil { // the name must take precedence over a prefix of another model
				p.Models = slices.Concat([]Model{added}, p.Models[:len(p.Models)-1])
			}
		}
		return
	}
	if changed[m] || byTime || slices.ContainsFunc(m.Prices, func(p Period) bool { return p.Constraint.timed() }) {
		return
	}
	c := Constraint{StartDate: date}
	if c.read() != nil {
		return // ReadPublished has checked the date
	}
	now := m.Prices.at(c.from)
	merged, differs := Set{}, false
	for key, price := range now.Prices {
		merged[key] = price
	}
	for key, price := range set {
		if was, ok := merged[key]; !ok || !was.equal(price) {
			merged[key], differs = price, true
		}
	}
	if !differs {
		return
	}
	changed[m] = true
	at := len(m.Prices)
	for at > 0 && m.Prices[at-1].Constraint.StartDate > date {
		at--
	}
	m.Prices = slices.Insert(m.Prices, at, Period{Constraint: c, Prices: merged})
}

// equal reports whether two prices are the same for every call. Tiers whose starts differ by one
// token count as equal, since tables state the same limit in both ways.
func (p Price) equal(o Price) bool {
	return p.Base.Equal(o.Base) && slices.EqualFunc(p.Tiers, o.Tiers, func(a, b Tier) bool {
		return a.Price.Equal(b.Price) && max(a.Start-b.Start, b.Start-a.Start) <= 1
	})
}
