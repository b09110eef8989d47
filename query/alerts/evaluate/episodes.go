package evaluate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"tapedeck/query/alerts/rule"
)

// Alert is an episode in which a rule held for a session, or in which a budget of a tag value or a tenant was exceeded.
type Alert struct {
	ID       string     `json:"id"` // the same for whoever evaluates the rule
	Rule     string     `json:"rule"`
	Kind     rule.Kind  `json:"kind"`
	Session  string     `json:"session_id"` // for a budget of a tag value or a tenant: of its sessions, the one with the latest frame
	SpanID   *string    `json:"span_id"`    // the span that it is about; null for none
	SpanName *string    `json:"span_name"`  // null for none
	Position *string    `json:"position"`   // of the first frame of the span; null for none
	Per      *string    `json:"per"`        // what a budget is of: rule.PerTenant, or rule.PerTag and a name; null for a rule of sessions
	Value    *string    `json:"value"`      // the value of the tag, or the name of the tenant; null for a rule of sessions
	Period   *string    `json:"period"`     // the day or month of the budget, as 2026-03-29 or 2026-03; null for a rule of sessions
	Detail   string     `json:"detail"`     // what happened, a clause
	Began    time.Time  `json:"began"`      // when the condition began to hold
	Ended    *time.Time `json:"ended"`      // when the condition was found not to hold any more; null while it holds

	Tenant string `json:"-"`
	Stream string `json:"-"` // see Session
	Key    string `json:"-"` // identifies the condition in all tenants
}

// Episodes keeps the episodes that are open. It is for one goroutine.
type Episodes struct {
	open  map[string]*Alert // by condition
	limit map[[2]string][]begun
	rules map[string]*rule.Rule
}

// begun is an alert that began in the past hour.
type begun struct {
	at int64
	id string
}

// NewEpisodes returns the episodes of rules. open are those that were stored as open.
func NewEpisodes(rules []rule.Rule, open ...*Alert) *Episodes {
	e := &Episodes{open: map[string]*Alert{}, limit: map[[2]string][]begun{}, rules: map[string]*rule.Rule{}}
	for i := range rules {
		e.rules[rules[i].Name] = &rules[i]
	}
	for _, a := range open {
		e.open[a.Key] = a
	}
	return e
}

// Count counts alerts that are stored, in any order, among those that began in the past hour: as begun when their
// condition began to hold. It is called before Begin.
func (e *Episodes) Count(stored []*Alert, now int64) {
	for _, a := range stored {
		if at := a.Began.UnixNano(); at > now-int64(time.Hour) {
			of := [2]string{a.Tenant, a.Rule}
			e.limit[of] = append(e.limit[of], begun{at, a.ID})
		}
	}
	for _, list := range e.limit {
		slices.SortFunc(list, func(a, b begun) int { return cmp.Compare(a.at, b.at) })
	}
}

// Open returns how many episodes of each rule are open.
func (e *Episodes) Open() map[string]int {
	count := make(map[string]int, len(e.rules))
	for name := range e.rules {
		count[name] = 0
	}
	for _, a := range e.open {
		count[a.Rule]++
	}
	return count
}

// New returns the alert of a finding that is not an open episode yet; nil if it is.
func (e *Episodes) New(s *Session, f *Finding) *Alert {
	key := Condition(s, f)
	if e.open[key] != nil {
		return nil
	}
	return &Alert{
		ID: hash(s.Tenant, s.ID, f.Rule, f.Key, f.Episode), Rule: f.Rule, Kind: f.Kind, Session: s.ID,
		SpanID: named(f.SpanID), SpanName: named(f.SpanName), Position: named(f.Position), Detail: f.Detail,
		Began: time.Unix(0, f.Since).UTC(), Tenant: s.Tenant, Stream: s.Stream, Key: key,
	}
}

// Begin opens an episode. It returns false if too many of its rule began for its tenant in the past hour.
func (e *Episodes) Begin(a *Alert, now int64) bool {
	if !e.Room(a, now) {
		return false
	}
	if e.rules[a.Rule] != nil {
		of := [2]string{a.Tenant, a.Rule}
		e.limit[of] = append(e.limit[of], begun{now, a.ID})
	}
	e.open[a.Key] = a
	return true
}

// Room reports whether Begin would open an episode.
func (e *Episodes) Room(a *Alert, now int64) bool {
	r := e.rules[a.Rule]
	if r == nil {
		return true
	}
	of := [2]string{a.Tenant, a.Rule}
	recent := e.limit[of]
	for len(recent) > 0 && recent[0].at <= now-int64(time.Hour) {
		recent = recent[1:]
	}
	e.limit[of] = recent
	return len(recent) < r.PerHour
}

// Has reports whether the episode of an alert is open.
func (e *Episodes) Has(a *Alert) bool { return e.open[a.Key] != nil }

// All returns the open episodes, in no order.
func (e *Episodes) All() []*Alert { return slices.Collect(maps.Values(e.open)) }

// Finish ends the open episodes whose condition is not among those that hold, and returns them.
func (e *Episodes) Finish(holds map[string]bool, now int64) (ended []*Alert) {
	for key, a := range e.open {
		if holds[key] {
			continue
		}
		delete(e.open, key)
		at := time.Unix(0, max(now, a.Began.UnixNano())).UTC()
		over := *a
		over.Ended = &at
		ended = append(ended, &over)
	}
	return ended
}

// KeepRunning adds the conditions of the open alerts of tool calls of a session that still run. Such an alert is open
// until its call ends or waits: what is usual changes while the call runs.
func (e *Episodes) KeepRunning(s *Session, holds map[string]bool) {
	tree := treeOf(s.Open)
	for _, r := range e.rules {
		if r.Kind != rule.ToolOpen || !r.Applies(s.Tenant) {
			continue
		}
		for _, call := range running(r, s, tree) {
			if key := Condition(s, &Finding{Rule: r.Name, Key: call.ID}); e.open[key] != nil {
				holds[key] = true
			}
		}
	}
}

// Keep adds the conditions of the open episodes of a tenant to those that hold, for a tenant whose sessions could
// not be read.
func (e *Episodes) Keep(tenant string, holds map[string]bool) {
	for key, a := range e.open {
		if a.Tenant == tenant {
			holds[key] = true
		}
	}
}

// Drop removes an episode that could not be stored, or was deleted, also from those that began in the past hour. It begins
// again with the next evaluation.
func (e *Episodes) Drop(a *Alert) {
	delete(e.open, a.Key)
	of := [2]string{a.Tenant, a.Rule}
	e.limit[of] = slices.DeleteFunc(e.limit[of], func(b begun) bool { return b.id == a.ID })
}

// Restore opens an episode again whose end could not be stored.
func (e *Episodes) Restore(a *Alert) {
	open := *a
	open.Ended = nil
	e.open[a.Key] = &open
}

// Condition returns the key of a finding's condition, for Finish.
func Condition(s *Session, f *Finding) string { return hash(s.Tenant, s.ID, f.Rule, f.Key) }

// hash returns an id of several texts.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		_, _ = h.Write([]byte(strings.ReplaceAll(t, "\x00", "\x00\x00") + "\x00\x01"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func named(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
