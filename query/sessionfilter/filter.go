package sessionfilter

import (
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/facts/sessionhead"
)

// Filter selects sessions. An empty field selects all. A session passes a field with several
// values if it has one of them; of Tags it must have all.
type Filter struct {
	From, To time.Time // half open: started at From or later, and before To
	Text     string    // part of the title, the id or the value of a tag; case does not matter
	Tags     []TagFilter
	Agents   []string
	Tools    []string
	Models   []string
	Dialects []string
	Statuses []sessionhead.Status
	// Values by which reports can group usage as well: providers of models, ids of runs, names or
	// ids of nodes, service tiers, and statuses of model calls.
	Providers, Runs, Nodes, ServiceTiers, CallStatuses []string
	// Time from the first frame to the end, for an open session to the present. Both limits are
	// included; a MaxDuration of 0 is no limit.
	MinDuration, MaxDuration time.Duration
	// Only sessions that have been silent, or open, for at least as long; 0 for no limit.
	SilentFor, RunningFor time.Duration
	// Tokens of all buckets together. Both limits are included; a MaxTokens of nil is no limit.
	MinTokens int64
	MaxTokens *int64
	// Cost of the calls with a known price. Both limits are included; nil is no limit. With a
	// limit, sessions without a known cost do not pass.
	MinCost, MaxCost *decimal.Decimal
	// Outdated selects sessions with facts of an earlier version of the decoders
	// (query.WithDecoderVersion).
	Outdated bool
}

// TagFilter selects sessions with a tag.
type TagFilter struct {
	Key, Value string
	AnyValue   bool
}

// IsEmpty reports whether every session passes the filter.
func (f *Filter) IsEmpty() bool {
	return f.Text == "" && len(f.Tags)+len(f.Agents)+len(f.Tools)+len(f.Models)+len(f.Dialects)+len(f.Statuses) == 0 &&
		len(f.Providers)+len(f.Runs)+len(f.Nodes)+len(f.ServiceTiers)+len(f.CallStatuses) == 0 &&
		f.MinDuration == 0 && f.MaxDuration == 0 && f.SilentFor == 0 && f.RunningFor == 0 &&
		f.MinTokens == 0 && f.MaxTokens == nil && f.MinCost == nil && f.MaxCost == nil && !f.Outdated &&
		f.From.IsZero() && f.To.IsZero()
}
