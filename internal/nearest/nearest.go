// Package nearest finds the known names that are most like one that is not known.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// MaxBytes is the greatest length of names that are compared, in bytes.
const MaxBytes = 128

// Names returns at most n of the known names that are most like a name, the nearest first: those
// that at most limit changes of a letter make it. Case does not count.
func Names(name string, known []string, n, limit int) []string {
	name = strings.ToLower(name)
	if name == "" || len(name) > MaxBytes {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	for _, k := range known {
		if d := Distance(name, strings.ToLower(k), limit); d <= limit {
			list = append(list, candidate{k, d})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(other(a.name, name), other(b.name, name)), cmp.Compare(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b candidate) bool { return a.name == b.name })
	names := make([]string, 0, n)
	for _, c := range list[:min(n, len(list))] {
		names = append(names, c.name)
	}
	return names
}

// other is 0 for a name that begins with another one or is its beginning, which is more often meant,
// and 1 for all others.
func other(known, name string) int {
	known = strings.ToLower(known)
	if strings.HasPrefix(known, name) || strings.HasPrefix(name, known) {
		return 0
	}
	return 1
}

// Distance returns the number of bytes to insert, remove or replace that makes a into b; a
// number above limit if it is above limit.
func Distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) > limit || len(b) > MaxBytes {
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
