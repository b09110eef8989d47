package prices

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Rule changes the prices of the calls that match its Scope: Prices replace prices, Factor
// multiplies them. Exactly one of the two is set.
type Rule struct {
	Name   string           `json:"name,omitempty"`
	Scope  Scope            `json:"scope,omitzero"`
	Prices Set              `json:"prices,omitempty"`
	Whole  bool             `json:"whole,omitempty"` // Prices replaces the whole set of prices
	Factor *decimal.Decimal `json:"factor,omitempty"`
	// Units are the price keys to which Factor applies: all if empty, and TokenUnits for all keys
	// of tokens.
	Units  []string `json:"units,omitempty"`
	Origin *Origin  `json:"origin,omitempty"`
}

// Origin is the source of a rule's figures.
type Origin struct {
	URL  string `json:"url"`
	Text string `json:"text"`
	Date string `json:"date"` // when the page was read, YYYY-MM-DD
}

// TokenUnits in Rule.Units stands for the price keys of all tokens.
const TokenUnits = "tokens"

// Scope selects the calls to which a rule applies. Every field that is not empty must match.
type Scope struct {
	Provider []string `json:"provider,omitempty"` // the stated provider, or its id in the table
	// Model lists names of the serving model, or its ids in the table; * is any text.
	Model       []string          `json:"model,omitempty"`
	Tenant      []string          `json:"tenant,omitempty"`
	Tags        map[string]string `json:"tag,omitempty"`
	ServiceTier []string          `json:"service_tier,omitempty"`
	Speed       []string          `json:"speed,omitempty"`
	Region      []string          `json:"region,omitempty"`
	// Refusal lists the categories of refusals to which the rule applies: calls that the provider
	// refused before any output. "none" selects refusals without a category. RefusalNot lists
	// categories to which the rule does not apply.
	Refusal    []string `json:"refusal,omitempty"`
	RefusalNot []string `json:"refusal_not,omitempty"`
	// MaxInput is the maximum number of input tokens of a call, including cache tokens; 0 for no
	// limit.
	MaxInput int64     `json:"max_input_tokens,omitempty"`
	From     time.Time `json:"from,omitzero"` // inclusive
	To       time.Time `json:"to,omitzero"`   // exclusive
	Recurring
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scope) UnmarshalJSON(text []byte) error {
	type plain Scope
	if err := decodeStrictly(text, (*plain)(s)); err != nil {
		return err
	}
	return s.Recurring.read()
}

// subject is a call in the form that scopes match.
type subject struct {
	Call
	providerID, modelID string // of the entry in the table, "" if there is none
	input               decimal.Decimal
	refusal             string // its category, "" for a call that was not refused before any output
}

// holds reports whether the scope matches a call.
func (s *Scope) holds(c *subject) bool {
	for key, value := range s.Tags {
		if got, ok := c.Tags[key]; !ok || got != value {
			return false
		}
	}
	return (s.From.IsZero() || !c.At.Before(s.From)) && (s.To.IsZero() || c.At.Before(s.To)) &&
		(s.MaxInput == 0 || !c.input.GreaterThan(decimal.NewFromInt(s.MaxInput))) &&
		among(s.Provider, c.Provider, c.providerID) && among(s.Model, c.Model, c.modelID) &&
		(len(s.Tenant) == 0 || slices.Contains(s.Tenant, c.Tenant)) &&
		among(s.ServiceTier, c.ServiceTier) && among(s.Speed, c.Speed) && among(s.Region, c.Region) &&
		among(s.Refusal, c.refusal) && (len(s.RefusalNot) == 0 || !among(s.RefusalNot, c.refusal)) &&
		s.Recurring.holds(c.At)
}

// MayHold reports whether the scope can match some call of a provider's model. id is the model's id
// in the table.
func (s *Scope) MayHold(provider, model, id string) bool {
	return among(s.Provider, provider) && among(s.Model, model, id)
}

// among reports whether any pattern matches any name, or there are no patterns.
func among(patterns []string, names ...string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return name != "" && glob(p, name) })
	})
}

// glob reports whether a name matches a pattern, in which * is any text. Case is ignored.
func glob(pattern, name string) bool {
	parts := strings.Split(strings.ToLower(pattern), "*")
	name, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(name)), parts[0])
	if len(parts) == 1 {
		return ok && name == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return ok && strings.HasSuffix(name, parts[len(parts)-1])
}

// key returns a text of all conditions of a scope except dates.
func (s *Scope) key() string {
	c := *s
	c.From, c.To = time.Time{}, time.Time{}
	for _, list := range []*[]string{
		&c.Provider, &c.Model, &c.Tenant, &c.ServiceTier, &c.Speed, &c.Region, &c.Refusal, &c.RefusalNot, &c.Weekdays,
	} {
		*list = slices.Sorted(slices.Values(*list))
		for i := range *list {
			if list != &c.Tenant {
				(*list)[i] = strings.ToLower((*list)[i])
			}
		}
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	return string(text)
}

// overlaps reports whether the date ranges of two scopes intersect.
func (s *Scope) overlaps(o *Scope) bool {
	return (s.To.IsZero() || o.From.Before(s.To)) && (o.To.IsZero() || s.From.Before(o.To))
}

// affects reports whether the rule's factor applies to a price key.
func (r *Rule) affects(key string) bool {
	return len(r.Units) == 0 || slices.Contains(r.Units, key) ||
		slices.Contains(r.Units, TokenUnits) && unitsByPriceKey[key].dims.family == "tokens"
}

// apply applies the rule to prices. It changes set itself, but not the tiers in it.
func (r *Rule) apply(set Set) {
	if r.Whole {
		clear(set)
	}
	for key, price := range r.Prices {
		set[key] = price
	}
	if r.Factor == nil {
		return
	}
	for key, price := range set {
		if r.affects(key) {
			set[key] = price.times(*r.Factor)
		}
	}
}

// times returns the price times a factor.
func (p Price) times(factor decimal.Decimal) Price {
	product := Price{Base: p.Base.Mul(factor), Tiers: slices.Clone(p.Tiers)}
	for i := range product.Tiers {
		product.Tiers[i].Price = product.Tiers[i].Price.Mul(factor)
	}
	return product
}
