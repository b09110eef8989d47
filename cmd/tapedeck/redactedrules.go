package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// redactedRules lists how many secrets were masked by which rule.
func redactedRules(counts map[string]uint64) string {
	list := make([]string, 0, len(counts))
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%d × %s", counts[id], id))
	}
	return strings.Join(list, ", ")
}
