package prices

import (
	"cmp"
	"slices"
	"strings"

	"tapedeck/internal/nearest"
)

// NearestModels returns at most n of the known ids of models that are most like a name:
// those that Nearest returns, and after them those of its family, which begin with the
// same words, the most of them first.
func NearestModels(name string, known []string, n int) []string {
	found := Nearest(name, known, n)
	words := wordsOf(name)
	type relative struct {
		id               string
		common, distance int
	}
	var family []relative
	for _, id := range known {
		if common := commonWords(words, wordsOf(id)); common > 0 && !slices.Contains(found, id) {
			family = append(family, relative{id, common, nearest.Distance(strings.ToLower(name), strings.ToLower(id), 2*nearest.MaxBytes)})
		}
	}
	slices.SortFunc(family, func(a, b relative) int {
		return cmp.Or(cmp.Compare(b.common, a.common), cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	family = slices.CompactFunc(family, func(a, b relative) bool { return a.id == b.id })
	for _, r := range family[:min(max(n-len(found), 0), len(family))] {
		found = append(found, r.id)
	}
	return found
}

// wordsOf returns the words of a model's name, without what stands before its last slash.
func wordsOf(name string) []string {
	name = strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-._: @", r) })
}

// commonWords returns how many words two names begin with alike. One word of fewer than three
// letters is no family.
func commonWords(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n == 1 && len(a[0]) < 3 {
		return 0
	}
	return n
}
