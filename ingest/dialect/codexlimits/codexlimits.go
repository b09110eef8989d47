// Package codexlimits reads the rate limits, the spending limit and the credits that Codex states
// in its files and in the protocol of its app server.
package codexlimits

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// mainLimit is the id of the limits that every account has. Other ids are of single models.
const mainLimit = "codex"

// Read calls set with each limit of a RateLimitSnapshot of Codex, whose members are in snake case
// in files and in camel case in the protocol. at is when the frame arrived, ns since 1970. A member
// that is missing or null states nothing.
func Read(v *fastjson.Value, at int64, set func(schema.Limit)) {
	if !dialect.IsObject(v) {
		return
	}
	prefix := ""
	if id := dialect.FirstText(v, "limit_id", "limitId"); len(id) > 0 && string(id) != mainLimit {
		prefix = string(id) + "/"
	}
	snapshot := schema.Limit{
		Plan:   string(dialect.FirstText(v, "plan_type", "planType")),
		Status: string(dialect.FirstText(v, "rate_limit_reached_type", "rateLimitReachedType")),
	}
	for _, name := range []string{"primary", "secondary"} {
		if w := v.Get(name); dialect.IsObject(w) {
			l := snapshot
			l.Name = prefix + name
			window(&l, w, at)
			set(l)
		}
	}
	if w := first(v, "individual_limit", "individualLimit"); dialect.IsObject(w) {
		l := snapshot
		l.Name = prefix + "individual_limit"
		l.Used, l.Max = dialect.LimitNumber(w.Get("used")), dialect.LimitNumber(w.Get("limit"))
		if left := dialect.LimitNumber(first(w, "remaining_percent", "remainingPercent")); left != nil {
			*left = 100 - *left
			l.UsedPercent = left
		}
		l.ResetsAt = dialect.LimitTime(first(w, "resets_at", "resetsAt"))
		set(l)
	}
	if c := v.Get("credits"); dialect.IsObject(c) {
		l := schema.Limit{Name: prefix + "credits", Plan: snapshot.Plan, Unlimited: c.GetBool("unlimited")}
		l.Balance = string(c.GetStringBytes("balance"))
		if has := first(c, "has_credits", "hasCredits"); has != nil && has.Type() == fastjson.TypeFalse && !l.Unlimited {
			l.Status = "no_credits"
		}
		set(l)
	}
}

// window reads a RateLimitWindow.
func window(l *schema.Limit, w *fastjson.Value, at int64) {
	l.UsedPercent = dialect.LimitNumber(first(w, "used_percent", "usedPercent"))
	if minutes := dialect.LimitSeconds(first(w, "window_minutes", "windowDurationMins")); minutes < 1<<40 {
		l.Window = minutes * 60
	}
	l.ResetsAt = dialect.LimitTime(first(w, "resets_at", "resetsAt", "reset_at"))
	if left := dialect.LimitSeconds(w.Get("resets_in_seconds")); l.ResetsAt == 0 && left > 0 { // before Codex 0.47
		l.ResetsAt = at/1e9 + left
	}
}

// first returns the first member that exists and is not null, or nil.
func first(v *fastjson.Value, names ...string) *fastjson.Value {
	for _, name := range names {
		if m := v.Get(name); !dialect.IsNull(m) {
			return m
		}
	}
	return nil
}
