package model

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Use records a usage under a scope, which other streams may use as well. span may be nil. It
// returns nil for a usage that counts nothing.
func (t *Conversation) Use(c *dialect.Counting, id, scope string, span *dialect.Span, raw []byte) *dialect.Usage {
	tokens, total, ok := c.Read(raw)
	if !ok {
		t.Unread(raw)
		return nil
	}
	u := t.UseTokens(id, scope, span, c.Mode, tokens)
	u.Total, u.Raw = total, string(raw)
	c.Bill.Read(raw, &u.Usage)
	return u
}

// UseTokens is Use for tokens that the dialect has read itself.
func (t *Conversation) UseTokens(id, scope string, span *dialect.Span, mode schema.UsageMode, tokens schema.Tokens) *dialect.Usage {
	u := t.Emitter.Use(id, scope, mode, tokens, t.Frame)
	t.fill(&u.Fact)
	t.Billing.addTo(&u.Billing)
	u.Span, u.Model, u.Provider = idOf(span), t.Model, t.Provider
	return u
}

// UpdateUsage replaces the counts of a usage by those in the present frame.
func (t *Conversation) UpdateUsage(u *dialect.Usage, c *dialect.Counting, raw []byte) {
	tokens, total, ok := c.Read(raw)
	if !ok {
		t.Unread(raw)
		return
	}
	u.Tokens, u.Total, u.Raw = tokens, total, string(raw)
	u.Model, u.Provider = t.Model, t.Provider
	t.Billing.addTo(&u.Billing)
	c.Bill.Read(raw, &u.Usage)
	t.Emitter.ChangedUsage(u, t.Frame)
}

// Count records the usage of something with an id of its own, such as a response. It updates u, or
// records a new usage if u is nil. The usage's id and scope are made of the id, so that the same
// usage in another stream replaces it. Without an id both are local to this stream. It returns nil
// while nothing is counted.
func (t *Conversation) Count(u *dialect.Usage, c *dialect.Counting, of string, span *dialect.Span, raw []byte) *dialect.Usage {
	switch {
	case u != nil:
		t.UpdateUsage(u, c, raw)
		return u
	case of != "":
		return t.Use(c, "usage:"+of, of, span, raw)
	}
	return t.CountHere(c, span, raw)
}

// CountHere records a usage that no other stream refers to.
func (t *Conversation) CountHere(c *dialect.Counting, span *dialect.Span, raw []byte) *dialect.Usage {
	if _, _, ok := c.Read(raw); !ok {
		t.Unread(raw)
		return nil // a usage that counts nothing takes no id
	}
	id := t.ID("usage")
	return t.Use(c, id, id, span, raw)
}

// Unread marks the present frame if it states a usage that the rule cannot read. The emitter takes
// the mark back if the usage states no tokens.
func (t *Conversation) Unread(raw []byte) {
	if len(raw) > 0 && raw[0] == '{' {
		t.Frame.Flags |= schema.FlagUnreadUsage
	}
}
