// Package rule reads the rules of alerts from a file and checks them.
package rule

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Kind is what a rule observes.
type Kind string

// The kinds of rules.
const (
	ToolOpen   Kind = "tool_open"   // a tool call is open for longer than usual
	Silence    Kind = "silence"     // no frame arrives while something is open
	NoProgress Kind = "no_progress" // a run repeats the same call, or receives the same refusal
	ErrorRate  Kind = "error_rate"  // a share of the last tool calls failed
	Budget     Kind = "budget"      // a session, a tag value or a tenant has used more tokens or cost than allowed
)

// Kinds lists the kinds of rules.
var Kinds = []Kind{ToolOpen, Silence, NoProgress, ErrorRate, Budget}

// What a budget is of, if it is not of each session.
const (
	PerTenant = "tenant"
	PerTag    = "tag:" // and the name of a tag: each of its values has the budget
)

// Period is the time that a budget is of.
type Period string

// The periods of budgets: calendar days and months.
const (
	Day   Period = "day"
	Month Period = "month"
)

// Bounds of rules.
const (
	MostRules   = 100
	MostCalls   = 200 // of a session that rules look back on
	MostPerHour = 10_000
	leastTime   = time.Second
	mostTime    = 7 * 24 * time.Hour
	mostFactor  = 1000
	mostTag     = 256 // bytes of a tag's name
)

// DefaultPerHour is how many alerts of one rule and one tenant begin in an hour at most.
const DefaultPerHour = 60

// Rule is a condition on sessions that are being recorded. Which fields are set depends on Kind.
type Rule struct {
	Name    string
	Kind    Kind
	Tenants []string // only sessions of these tenants; empty for all
	Tools   []string // only calls of these tools; empty for all
	Except  []string // no calls of these tools
	PerHour int      // how many alerts begin for one tenant in an hour at most

	Factor   float64       // tool_open: times the p99 of earlier calls of the tool
	Floor    time.Duration // tool_open: no alert for calls that are open for a shorter time
	After    time.Duration // silence: time since the last frame
	Calls    int           // no_progress: repetitions of a call with the same arguments; 0 for none
	Refusals int           // no_progress: repetitions of a refusal; 0 for none
	Last     int           // error_rate: number of tool calls
	Percent  float64       // error_rate: percentage of the Last calls that failed, or more
	Tokens   int64         // budget: 0 for none
	Cost     decimal.Decimal
	Currency string // budget: ISO 4217, with Cost
	Per      string // budget: PerTenant, or PerTag and the name of a tag; "" for a budget of each session
	Period   Period // budget, with Per
	Zone     string // budget, with Per: the IANA time zone of Period
	Forecast bool   // budget of a month: the use that is expected by its end counts

	line int // in the file
}

// Applies reports whether the rule observes the sessions of a tenant.
func (r *Rule) Applies(tenant string) bool {
	return len(r.Tenants) == 0 || slices.Contains(r.Tenants, tenant)
}

// Of reports whether the rule observes the calls of a tool.
func (r *Rule) Of(tool string) bool {
	return (len(r.Tools) == 0 || slices.Contains(r.Tools, tool)) && !slices.Contains(r.Except, tool)
}

// OfSessions reports whether the rule is about single sessions. Other rules are budgets of a tag value or a tenant.
func (r *Rule) OfSessions() bool { return r.Per == "" }

// Tag returns the tag whose values have the budget; "" if it is not a budget per tag.
func (r *Rule) Tag() string {
	name, ok := strings.CutPrefix(r.Per, PerTag)
	if !ok {
		return ""
	}
	return name
}
