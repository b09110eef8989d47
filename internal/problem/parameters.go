package problem

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
)

// UnknownParameter returns a problem for a query with a parameter that its route does not support,
// nil if there is none. If unknown parameters were ignored, a misspelt filter would silently have
// no effect.
func UnknownParameter(query url.Values, known ...string) *Problem {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			return BadParameter(name, fmt.Sprintf("This route has no parameter %q.", name), known...)
		}
	}
	return nil
}
