package prices

import (
	"cmp"
	"slices"
	"strings"

	"tapedeck/internal/nearest"
)

// NearestModels returns at most n of the known model ids that are similar to a name: first the ids
// that Nearest returns, then the ids of the same family, which begin with the same words, ordered
// by the number of common words.
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
			family = append(family,
				relative{id, common, nearest.Distance(strings.ToLower(name), strings.ToLower(id), 2*nearest.MaxBytes)})
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

// wordsOf returns the words of a model's name after its last slash.
func wordsOf(name string) []string {
	name = strings.ToLower(name[strings.LastIndex(name, "/")+1:])
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-._: @", r) })
}

// commonWords returns the number of words that two names have in common at their start. A single
// word of fewer than three letters does not count.
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
