package prices

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// hint names the known name that is nearest to an unknown one, else the known ones.
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

// maxNearest is the greatest length of names that are compared, in bytes.
const maxNearest = 128

// Nearest returns at most n of the known names that are most like a name, the nearest
// first: those that a change of at most half of its letters makes it.
func Nearest(name string, known []string, n int) []string {
	name = strings.ToLower(name)
	if name == "" || len(name) > maxNearest {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	limit := max(len(name)/2, 1)
	for _, k := range known {
		if d := distance(name, strings.ToLower(k), limit); d <= limit {
			list = append(list, candidate{k, d})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b candidate) bool { return a.name == b.name })
	names := make([]string, 0, n)
	for _, c := range list[:min(n, len(list))] {
		names = append(names, c.name)
	}
	return names
}

// distance returns the number of bytes to insert, remove or replace that makes a into b; a
// number above limit if it is above limit.
func distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) > limit || len(b) > maxNearest {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}
