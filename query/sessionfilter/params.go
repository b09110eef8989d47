package sessionfilter

import (
	"strings"

	"tapedeck/query/endpoint"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/notes"
	"tapedeck/schema"
)

// Read reads the parameters of a filter except its range; nil if none is present.
func Read(p *endpoint.Params) *Filter {
	var f Filter
	f.Text, f.Tags = p.Text("q"), tags(p, "tag")
	f.Agents, f.Tools, f.Models = p.Names("agent"), p.Names("tool"), p.Names("model")
	f.Dialects = p.Texts("dialect")
	f.Providers, f.Runs, f.Nodes, f.ServiceTiers = p.Names("provider"), p.Names("run"), p.Names("node"),
		p.Names("service_tier")
	f.CallStatuses = endpoint.SomeOf(p, "call_status", callStatuses)
	f.MinDuration, f.MaxDuration = p.Durations("min_duration", "max_duration")
	f.SilentFor, f.RunningFor = p.Duration("silent_for"), p.Duration("running_for")
	f.MinTokens, f.MaxTokens = p.Tokens()
	f.MinCost, f.MaxCost = p.Costs()
	f.Unpriced, f.Unknown = p.Flag("unpriced"), endpoint.SomeOf(p, "unknown", Unknowns)
	f.Labels, f.Thumbs = p.Texts("label"), endpoint.SomeOf(p, "thumb", notes.Thumbs)
	f.Statuses = endpoint.SomeOf(p, "status", sessionhead.Statuses)
	if f.IsEmpty() {
		return nil
	}
	return &f
}

// callStatuses are the statuses of model calls.
var callStatuses = []string{
	string(schema.StatusOK), string(schema.StatusError), string(schema.StatusCancelled),
	string(schema.StatusUnclosed), string(schema.StatusOpen), string(schema.StatusWaiting),
}

// tags reads filters by tag: "k:v", "k" for any value, or "k:" for no value.
func tags(p *endpoint.Params, name string) []TagFilter {
	var list []TagFilter
	for _, v := range p.Texts(name) {
		key, value, ok := strings.Cut(v, ":")
		if key == "" {
			p.Refuse(name, v, "has no name", "name:value", "name")
			return nil
		}
		list = append(list, TagFilter{Key: key, Value: value, AnyValue: !ok})
	}
	return list
}
