package prices

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tapedeck/internal/nearest"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// hint returns a part of an error text that suggests the nearest known name, or lists the known
// names.
func hint(name string, known []string) string {
	if near := Nearest(name, known, 1); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	const most = 20
	if len(known) > most {
		return ""
	}
	return "; known are " + strings.Join(known, ", ")
}

// Nearest returns at most n of the known names that are similar to a name, the nearest first. The
// edit distance is at most half of the length.
func Nearest(name string, known []string, n int) []string {
	return nearest.Names(name, known, n, max(len(name)/2, 1))
}
