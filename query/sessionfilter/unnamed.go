package sessionfilter

import "slices"

// named is a list of names of a filter, and the column of usage records that has such names.
type named struct {
	column string
	list   []string
}

// names returns the lists of names in which "" stands for an unknown name.
func (f *Filter) names() []named {
	return []named{
		{"agent", f.Agents}, {"model", f.Models}, {"provider", f.Providers}, {"run_id", f.Runs},
		{"node_id", f.Nodes}, {"service_tier", f.ServiceTiers},
	}
}

// known returns the names of a list that are not empty.
func known(names []string) []string {
	list := make([]string, 0, len(names))
	for _, name := range names {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Unknown is what is unknown of a call: the word of a filter.
type Unknown string

// Unknowns lists the allowed values: what reports on model calls and on tool calls group by, where no
// other filter has the sessions of their group without a name.
var Unknowns = []Unknown{"call_model", "call_provider", "call_agent", "tool_agent"}

// unnamedSpans is the shape of the template "unnamed_spans": spans of a kind without a name.
type unnamedSpans struct {
	Shape        sessionIDsShape
	Kind, Column string
}

// Calls returns the shapes of the filter's unknown values.
func (s sessionIDsShape) Calls() []unnamedSpans {
	columns := map[Unknown]unnamedSpans{
		"call_model": {s, "llm", "model"}, "call_provider": {s, "llm", "provider"}, "call_agent": {s, "llm", "agent"},
		"tool_agent": {s, "tool", "agent"},
	}
	list := make([]unnamedSpans, 0, len(s.Unknown))
	for _, unknown := range s.Unknown {
		list = append(list, columns[unknown])
	}
	return list
}

// NamelessTools returns the shape of tool calls without a name.
func (s sessionIDsShape) NamelessTools() unnamedSpans { return unnamedSpans{s, "tool", "name"} }

// unnamed is the shape of the template "unnamed".
type unnamed struct {
	Shape sessionIDsShape
	Last  string // SQL expression of the value of a record, whose rows may state several
}

// Without returns the shape of the template "unnamed" for a column; nil if the filter does not
// select sessions without its name.
func (s sessionIDsShape) Without(column string) *unnamed {
	if !slices.Contains(s.Unnamed, column) {
		return nil
	}
	// As in the template "careful_usage": what a price depends on is that of the last row that states
	// it, other names are those of the last row.
	last := "max(" + column + ")"
	switch column {
	case "agent", "run_id", "node_id":
		last = "argMax(" + column + ", (at, version, stream_id))"
	}
	return &unnamed{s, last}
}
