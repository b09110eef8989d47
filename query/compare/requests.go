package compare

import (
	"maps"
	"slices"
)

// changedParameters returns the names of the members that differ between two requests, in order. It
// returns none if either request was not recorded.
func changedParameters(a, b *requestRow) []string {
	if a == nil || b == nil {
		return nil
	}
	return changed(digests(a.Names, a.Digests), digests(b.Names, b.Digests), "model")
}

// changedTools returns the names of the tools whose definitions differ or that only one request
// has.
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

// changed returns the sorted names with different values, except the name but.
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

// plain returns a short form of a member's value: "not set" if the request lacks the member, "" if
// the value is not a number, a boolean or one word.
func (r *requestRow) plain(name string) string {
	if i := slices.Index(r.Names, name); i >= 0 {
		return r.Plain[i]
	}
	return "not set"
}

// prompts are the members of requests that contain prompts.
var prompts = []string{"system", "instructions", "systemInstruction", "system_instruction"}
