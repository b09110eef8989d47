package main

import (
	"net/url"
	"strconv"
	"time"

	"tapedeck/internal/commandline"
)

// sessionFilter holds the flags that select sessions, except by their start.
type sessionFilter struct {
	Query string `help:"Text in the title, the id or a tag." short:"q" placeholder:"TEXT"`
	namelessFilter
}

// namelessFilter is a sessionFilter without a text search.
type namelessFilter struct {
	Tag         []string      `help:"Only with this tag: name, name=value or name:value; name= for those without it." placeholder:"K=V" sep:"none"`
	Agent       []string      `help:"Only of this agent." placeholder:"NAME"`
	Tool        []string      `help:"Only where this tool was called." placeholder:"NAME"`
	Model       []string      `help:"Only where this model was used." placeholder:"NAME"`
	Dialect     []string      `help:"Only with a stream of this dialect." placeholder:"NAME"`
	Provider    []string      `help:"Only where a model of this provider was called." placeholder:"NAME"`
	OfRun       []string      `help:"Only with this run." placeholder:"ID" name:"run"`
	Node        []string      `help:"Only with this node." placeholder:"NAME"`
	ServiceTier []string      `help:"Only with calls that this tier served." placeholder:"TIER"`
	CallStatus  []string      `help:"Only with usage of a call that ended so: ok, error, cancelled, unclosed, open, waiting." placeholder:"STATUS"`
	MinDuration time.Duration `help:"Only as long as this or longer, as 1m30s." placeholder:"D"`
	MaxDuration time.Duration `help:"Only as long as this or shorter." placeholder:"D"`
	SilentFor   time.Duration `help:"Only open or lost ones without a frame for as long as this." placeholder:"D"`
	RunningFor  time.Duration `help:"Only open ones that began as long ago as this." placeholder:"D"`
	MinTokens   uint64        `help:"Only with as many tokens or more." placeholder:"N"`
	MaxTokens   *uint64       `help:"Only with as many tokens or fewer." placeholder:"N"`
	MinCost     string        `help:"Only with a known cost of this or more, as 0.05." placeholder:"AMOUNT"`
	MaxCost     string        `help:"Only with a known cost of this or less." placeholder:"AMOUNT"`
	Status      []string      `help:"Only with this status: running, quiet, lost, ok, error, cancelled, incomplete." placeholder:"STATUS"`
}

// check returns an error for negative durations.
func (f *namelessFilter) check() error {
	for _, flag := range []struct {
		name string
		d    time.Duration
	}{
		{"--min-duration", f.MinDuration}, {"--max-duration", f.MaxDuration},
		{"--silent-for", f.SilentFor}, {"--running-for", f.RunningFor},
	} {
		if flag.d < 0 {
			return commandline.Errorf("%s %v: it must be 0s, which is no limit, or more", flag.name, flag.d)
		}
	}
	return nil
}

// set sets the query parameters of the flags.
func (f *sessionFilter) set(q url.Values) {
	setAll(q, map[string][]string{"q": {f.Query}})
	f.namelessFilter.set(q)
}

// set sets the query parameters of the flags.
func (f *namelessFilter) set(q url.Values) {
	setAll(q, map[string][]string{
		"tag": colonTags(f.Tag), "agent": f.Agent, "tool": f.Tool, "model": f.Model, "dialect": f.Dialect,
		"provider": f.Provider, "run": f.OfRun, "node": f.Node, "service_tier": f.ServiceTier, "call_status": f.CallStatus,
		"min_cost": {f.MinCost}, "max_cost": {f.MaxCost}, "status": f.Status,
	})
	for name, d := range map[string]time.Duration{
		"min_duration": f.MinDuration, "max_duration": f.MaxDuration, "silent_for": f.SilentFor, "running_for": f.RunningFor,
	} {
		if d > 0 {
			q.Set(name, d.String())
		}
	}
	if f.MinTokens > 0 {
		q.Set("min_tokens", strconv.FormatUint(f.MinTokens, 10))
	}
	if f.MaxTokens != nil {
		q.Set("max_tokens", strconv.FormatUint(*f.MaxTokens, 10))
	}
}
