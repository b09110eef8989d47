package custom

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// limit reads "limit: {name: PATH, …}".
func (o *object) limit() *limit {
	n := o.get("limit")
	if n == nil {
		return nil
	}
	l, ok := o.doc.object(n, o.below("limit"), "name", "plan", "status", "used", "max", "used_percent", "balance",
		"window_seconds", "resets", "unlimited")
	if !ok {
		return nil
	}
	out := &limit{
		name: l.need("name"), plan: l.places("plan"), status: l.places("status"), used: l.places("used"), max: l.places("max"),
		usedPercent: l.places("used_percent"), balance: l.places("balance"), window: l.places("window_seconds"),
		resets: l.places("resets"), unlimited: l.places("unlimited"),
	}
	if len(out.used)+len(out.max)+len(out.usedPercent)+len(out.balance)+len(out.unlimited)+len(out.status)+len(out.resets) == 0 {
		o.doc.wrong(n, l.at, `nothing is stated: at least one of "used", "max", "used_percent", "balance", "unlimited", "status" and "resets" is needed`)
	}
	return out
}

// apply records what the frame states.
func (l *limit) apply(c *conversation, s *source) {
	c.SetLimit(schema.Limit{
		Name: string(l.name.text(s)), Plan: string(l.plan.text(s)), Status: string(l.status.text(s)),
		Used: dialect.ParseLimitNumber(l.used.text(s)), Max: dialect.ParseLimitNumber(l.max.text(s)),
		UsedPercent: dialect.ParseLimitNumber(l.usedPercent.text(s)), Balance: string(l.balance.text(s)),
		Window: dialect.ParseLimitSeconds(l.window.text(s)), ResetsAt: dialect.ParseLimitTime(l.resets.text(s)),
		Unlimited: dialect.RawTrue(l.unlimited.raw(s)),
	})
}
