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
	Agent       nameList      `help:"Only of this agent; an empty name for usage of an unknown one." placeholder:"NAME"`
	Tool        nameList      `help:"Only where this tool was called; an empty name for calls without a name." placeholder:"NAME"`
	Model       nameList      `help:"Only where this model was used; an empty name for usage of an unknown one." placeholder:"NAME"`
	Dialect     []string      `predictor:"dialect" help:"Only with a stream of this dialect." placeholder:"NAME"`
	Provider    nameList      `help:"Only where a model of this provider was called; an empty name for usage of an unknown one." placeholder:"NAME"`
	OfRun       nameList      `help:"Only with this run; an empty name for usage of an unknown one." placeholder:"ID" name:"run"`
	Node        nameList      `help:"Only with this node; an empty name for usage of an unknown one." placeholder:"NAME"`
	ServiceTier nameList      `help:"Only with calls that this tier served; an empty name for usage of an unknown one." placeholder:"TIER"`
	CallStatus  []string      `help:"Only with usage of a call that ended so: ok, error, cancelled, unclosed, open, waiting." placeholder:"STATUS"`
	MinDuration time.Duration `help:"Only as long as this or longer, as 1m30s." placeholder:"D"`
	MaxDuration time.Duration `help:"Only as long as this or shorter." placeholder:"D"`
	SilentFor   time.Duration `help:"Only open or lost ones without a frame for as long as this." placeholder:"D"`
	RunningFor  time.Duration `help:"Only open ones that began as long ago as this." placeholder:"D"`
	MinTokens   uint64        `help:"Only with as many tokens or more." placeholder:"N"`
	MaxTokens   *uint64       `help:"Only with as many tokens or fewer." placeholder:"N"`
	MinCost     string        `help:"Only with a known cost of this or more, as 0.05." placeholder:"AMOUNT"`
	MaxCost     string        `help:"Only with a known cost of this or less." placeholder:"AMOUNT"`
	Label       []string      `help:"Only with a note that has this label." placeholder:"LABEL"`
	Thumb       []string      `help:"Only with a note that has this thumb: up, down." placeholder:"THUMB"`
	Unpriced    bool          `help:"Only with usage that has no price."`
	Unknown     []string      `help:"Only with a model call without this: call_model, call_provider, call_agent; or a tool call without: tool_agent." placeholder:"WHAT"`
	Status      []string      `predictor:"status" help:"Only with this status: running, quiet, lost, ok, error, cancelled, incomplete." placeholder:"STATUS"`
}

// check returns an error for negative durations and for tags without a name.
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
	return checkTags("--tag", f.Tag)
}

// set sets the query parameters of the flags.
func (f *sessionFilter) set(q url.Values) {
	setAll(q, map[string][]string{"q": {f.Query}})
	f.namelessFilter.set(q)
}

// set sets the query parameters of the flags.
func (f *namelessFilter) set(q url.Values) {
	setAll(q, map[string][]string{
		"tag": colonTags(f.Tag), "dialect": f.Dialect, "call_status": f.CallStatus, "unknown": f.Unknown,
		"min_cost": {f.MinCost}, "max_cost": {f.MaxCost}, "status": f.Status,
		"label": f.Label, "thumb": f.Thumb,
	})
	setNames(q, map[string]nameList{
		"agent": f.Agent, "tool": f.Tool, "model": f.Model, "provider": f.Provider, "run": f.OfRun, "node": f.Node,
		"service_tier": f.ServiceTier,
	})
	for name, d := range map[string]time.Duration{
		"min_duration": f.MinDuration, "max_duration": f.MaxDuration, "silent_for": f.SilentFor, "running_for": f.RunningFor,
	} {
		if d > 0 {
			q.Set(name, d.String())
		}
	}
	if f.Unpriced {
		q.Set("unpriced", "1")
	}
	if f.MinTokens > 0 {
		q.Set("min_tokens", strconv.FormatUint(f.MinTokens, 10))
	}
	if f.MaxTokens != nil {
		q.Set("max_tokens", strconv.FormatUint(*f.MaxTokens, 10))
	}
}
