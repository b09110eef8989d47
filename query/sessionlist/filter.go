package sessionlist

import (
	"tapedeck/query/endpoint"
	"tapedeck/query/sessionhead"
)

// ReadFilter reads the parameters of a filter but for its range; nil if none is given.
func ReadFilter(p *endpoint.Params) *Filter {
	var f Filter
	f.Text, f.Tags = p.Text("q"), tags(p, "tag")
	f.Agents, f.Tools, f.Models = p.Texts("agent"), p.Texts("tool"), p.Texts("model")
	f.Dialects = p.Texts("dialect")
	f.MinDuration, f.MaxDuration = p.Durations("min_duration", "max_duration")
	f.SilentFor, f.RunningFor = p.Duration("silent_for"), p.Duration("running_for")
	f.MinTokens, f.MaxTokens = p.Tokens()
	f.Statuses = endpoint.SomeOf(p, "status", sessionhead.Statuses)
	if f.isEmpty() {
		return nil
	}
	return &f
}

// isEmpty reports whether every session passes the filter.
func (f *Filter) isEmpty() bool {
	return f.Text == "" && len(f.Tags)+len(f.Agents)+len(f.Tools)+len(f.Models)+len(f.Dialects)+len(f.Statuses) == 0 &&
		f.MinDuration == 0 && f.MaxDuration == 0 && f.SilentFor == 0 && f.RunningFor == 0 &&
		f.MinTokens == 0 && f.MaxTokens == nil && f.From.IsZero() && f.To.IsZero()
}
