// Package nearest finds the known names that are most similar to an unknown one.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// MaxBytes is the maximum length of names that are compared, bytes.
const MaxBytes = 128

// Names returns at most n of the known names that are most similar to a name, the nearest first. A
// known name differs from the name by at most limit changes of a letter. Case is ignored.
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
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(other(a.name, name), other(b.name, name)),
			cmp.Compare(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b candidate) bool { return a.name == b.name })
	names := make([]string, 0, n)
	for _, c := range list[:min(n, len(list))] {
		names = append(names, c.name)
	}
	return names
}

// Typo returns the known name that a name was most likely meant to be; "" if none is that similar: of three
// letters at most one differs.
func Typo(name string, known []string) string {
	if near := Names(name, known, 1, (len(name)+1)/3); len(near) > 0 && len(name) > 1 {
		return near[0]
	}
	return ""
}

// other returns 0 if one of the names is a prefix of the other, which is more likely to be
// intended, and 1 otherwise.
func other(known, name string) int {
	known = strings.ToLower(known)
	if strings.HasPrefix(known, name) || strings.HasPrefix(name, known) {
		return 0
	}
	return 1
}

// Distance returns the minimum number of bytes to insert, remove or replace to turn a into b. If it
// is above limit, the result is any number above limit.
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
