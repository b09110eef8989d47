package sessionfilter

import (
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/notes"
)

// Filter selects sessions. An empty field selects all. A session passes a field with several values
// if it has any of them; it must have all of Tags.
type Filter struct {
	From, To time.Time // half open, by the session's start
	Text     string    // part of the title, the id or the value of a tag; case is ignored
	Tags     []TagFilter
	Agents   []string
	Tools    []string
	Models   []string
	Dialects []string
	Statuses []sessionhead.Status
	// An empty name among Agents, Models, Providers, Runs, Nodes or ServiceTiers selects the sessions
	// with a usage record in which it is unknown, and among Tools those with a tool call without a name.
	//
	// Values by which reports can also group usage: providers of models, ids of runs, names or ids
	// of nodes, service tiers, and statuses of model calls.
	Providers, Runs, Nodes, ServiceTiers, CallStatuses []string
	// MinDuration and MaxDuration bound the time from the first frame to the end, for an open
	// session to the present. Both bounds are inclusive; a MaxDuration of 0 means no limit.
	MinDuration, MaxDuration time.Duration
	// SilentFor and RunningFor select sessions that have been silent, or open, for at least as
	// long; 0 for no limit.
	SilentFor, RunningFor time.Duration
	// MinTokens and MaxTokens bound the tokens of all buckets. Both are inclusive; a nil MaxTokens
	// means no limit.
	MinTokens int64
	MaxTokens *int64
	// MinCost and MaxCost bound the cost of the calls with a known price. Both are inclusive; nil
	// means no limit. With a limit, sessions without a known cost do not pass.
	MinCost, MaxCost *decimal.Decimal
	// Unknown selects sessions with calls that lack a name; a session must have all that are listed.
	Unknown []Unknown
	// Labels selects sessions with a note that has any of them, Thumbs those with a note that has any
	// of these verdicts.
	Labels []string
	Thumbs []notes.Thumb
	// Unpriced selects sessions with usage that has no price.
	Unpriced bool
	// Outdated selects sessions with facts of an older version of the decoders
	// (query.WithDecoderVersion).
	Outdated bool
}

// TagFilter selects sessions with a tag, or without a value of it.
type TagFilter struct {
	Key, Value string
	AnyValue   bool
}

// Without reports whether the filter selects the sessions without a value of the tag: reports have
// their usage in the group without a name.
func (f TagFilter) Without() bool { return !f.AnyValue && f.Value == "" }

// IsEmpty reports whether every session passes the filter.
func (f *Filter) IsEmpty() bool {
	return f.Text == "" && len(f.Tags)+len(f.Agents)+len(f.Tools)+len(f.Models)+len(f.Dialects)+len(f.Statuses) == 0 &&
		len(f.Providers)+len(f.Runs)+len(f.Nodes)+len(f.ServiceTiers)+len(f.CallStatuses)+len(f.Unknown)+len(f.Labels)+len(f.Thumbs) == 0 &&
		f.MinDuration == 0 && f.MaxDuration == 0 && f.SilentFor == 0 && f.RunningFor == 0 &&
		f.MinTokens == 0 && f.MaxTokens == nil && f.MinCost == nil && f.MaxCost == nil && !f.Unpriced && !f.Outdated &&
		f.From.IsZero() && f.To.IsZero()
}
