package compare

import (
	"maps"
	"slices"
)

// changedParameters returns the members of two requests that differ, in order. Where either
// was not recorded nothing is known.
func changedParameters(a, b *requestRow) []string {
	if a == nil || b == nil {
		return nil
	}
	return changed(digests(a.Names, a.Digests), digests(b.Names, b.Digests), "model")
}

// changedTools returns the names of the tools whose definitions differ, or that are of one
// request alone.
func changedTools(a, b *requestRow) []string {
	if a == nil || b == nil {
		return nil
	}
	return changed(digests(a.ToolNames, a.ToolDigests), digests(b.ToolNames, b.ToolDigests), "")
}

func digests(names, values []string) map[string]string {
	all := make(map[string]string, len(names))
	for i, name := range names {
		all[name] += values[i]
	}
	return all
}

// changed returns the names with different values, without the name in but.
func changed(a, b map[string]string, but string) []string {
	if maps.Equal(a, b) {
		return nil
	}
	var names []string
	for name, value := range a {
		if b[name] != value && name != but {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, both := a[name]; !both && name != but {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// plain returns the value of a member of a request: "not set" without the member, "" if it is
// not a number, a switch or one word.
func (r *requestRow) plain(name string) string {
	if i := slices.Index(r.Names, name); i >= 0 {
		return r.Plain[i]
	}
	return "not set"
}

// prompts are the members of requests that are prompts.
var prompts = []string{"system", "instructions", "systemInstruction", "system_instruction"}
