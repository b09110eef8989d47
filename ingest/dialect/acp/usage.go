package acp

import (
	"github.com/shopspring/decimal"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// cost follows the cost of a session, which the agent states in all from the session's beginning.
type cost struct {
	known    bool            // before is known
	before   decimal.Decimal // the cost at the end of the run before
	now      decimal.Decimal // the latest stated cost
	currency string          // "" if the present run stated none
}

// began records that the session is new: it has cost nothing yet.
func (c *cost) began() { *c = cost{known: true} }

// unknown records that the session goes on: its first stated cost is of earlier runs.
func (c *cost) unknown() { *c = cost{} }

// context reads the size of the session's context and its cost so far.
func (s *session) context(u *update) {
	amount, currency := dialect.RawPath(u.raw, "cost.amount"), u.GetStringBytes("cost", "currency")
	if schema.IsDecimal(string(amount)) && len(currency) > 0 {
		if now, err := decimal.NewFromString(string(amount)); err == nil {
			s.cost.state(now, string(currency))
		}
	}
	for _, name := range []string{"used", "size"} {
		if dialect.IsNumber(u.Get(name)) {
			s.notes.set("context_"+name, dialect.RawMember(u.raw, name))
		}
	}
	s.noted()
}

// state takes a stated cost. The first one of a session that did not begin here is of earlier runs.
// A cost that is lower than the one before counts from zero.
func (c *cost) state(now decimal.Decimal, currency string) {
	if !c.known {
		c.known, c.before = true, now
	}
	if now.LessThan(c.before) {
		c.before = decimal.Zero
	}
	c.now, c.currency = now, currency
}

// counting reads the usage of a prompt, which is a draft of the protocol: the tokens of all calls of a
// model for it, the cached ones beside the input.
var counting = dialect.Counting{
	Input: "inputTokens", CacheRead: "cachedReadTokens", CacheWrite5m: "cachedWriteTokens",
	Output: "outputTokens", Reasoning: "thoughtTokens", Total: "totalTokens", Mode: schema.UsageAdd,
}

// countingWithin is counting for a total that shows the cached tokens to be part of the input.
var countingWithin = func() dialect.Counting {
	c := counting
	c.InputHoldsCache = true
	return c
}()

// usage reads the usage of a prompt from its answer. It may be missing. What the run has cost belongs
// to it.
func (s *session) usage(answer []byte) {
	raw := dialect.RawMember(answer, "usage")
	if dialect.RawNull(raw) {
		s.quota(dialect.RawPath(answer, "_meta.quota"))
		return
	}
	rule := &counting
	tokens, total, ok := counting.Read(raw)
	if within, _, _ := countingWithin.Read(raw); ok && tokens.Sum() != total && within.Sum() == total {
		rule = &countingWithin
	}
	if u := s.CountHere(rule, s.Run(), raw); u != nil {
		s.stateCost(u)
	}
}

// quotaCounting reads the tokens of Gemini CLI's answers. The input includes what was read from a
// cache, which is not stated.
var quotaCounting = dialect.Counting{Input: "input_tokens", Output: "output_tokens", Mode: schema.UsageAdd}

// quota reads the tokens that Gemini CLI states instead of a usage: of each model, else of all.
func (s *session) quota(raw []byte) {
	counted := false
	dialect.RawElements(dialect.RawMember(raw, "model_usage"), func(one []byte) bool {
		u := s.spent(dialect.RawMember(one, "token_count"))
		if model := dialect.RawText(one, "model"); u != nil && len(model) > 0 {
			u.Model = string(model)
			u.Provider = dialect.ProviderOf(u.Model)
		}
		counted = counted || u != nil
		return true
	})
	if !counted {
		s.spent(dialect.RawMember(raw, "token_count"))
	}
}

// spent records tokens of a quota, or returns nil for none.
func (s *session) spent(raw []byte) *dialect.Usage {
	if tokens, _, _ := quotaCounting.Read(raw); tokens.Sum() == 0 {
		return nil
	}
	u := s.CountHere(&quotaCounting, s.Run(), raw)
	s.stateCost(u)
	return u
}

// stateCost sets what the run has cost on its usage.
func (s *session) stateCost(u *dialect.Usage) {
	if amount, currency := s.cost.take(); currency != "" {
		u.StateCost(amount, currency)
	}
}

// take returns what the run has cost since the run before. The currency is "" if nothing was stated.
func (c *cost) take() (amount, currency string) {
	amount, currency = c.now.Sub(c.before).String(), c.currency
	if currency != "" {
		c.before, c.currency = c.now, ""
	}
	return amount, currency
}

// spend records what the run has cost, if it was not recorded with its tokens.
func (s *session) spend(run *dialect.Span) {
	amount, currency := s.cost.take()
	if currency == "" || amount == "0" {
		return
	}
	id := s.ID("usage")
	s.UseTokens(id, id, run, schema.UsageAdd, schema.Tokens{}).StateCost(amount, currency)
}
