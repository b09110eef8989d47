package problem

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
)

// UnknownParameter is the problem of a query that has a parameter that its route
// does not know, nil if all are known: one that was ignored would seem to have had
// its effect, as a misspelt filter would.
func UnknownParameter(query url.Values, known ...string) *Problem {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			return BadParameter(name, fmt.Sprintf("This route has no parameter %q.", name), known...)
		}
	}
	return nil
}
