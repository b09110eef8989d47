package charges

import (
	"strconv"
	"strings"
)

// tagMaps makes maps of tags from the text of the template "packed_tags". Equal texts, such as
// those of the records of one session, share a map.
type tagMaps map[string]map[string]string

// tagMapsMost bounds the maps that are kept.
const tagMapsMost = 1000

// unpack returns the tags of a text. The caller must not change them.
func (m *tagMaps) unpack(packed string) map[string]string {
	tags, known := (*m)[packed]
	if known {
		return tags
	}
	if *m == nil || len(*m) >= tagMapsMost {
		*m = tagMaps{}
	}
	tags = unpackTags(packed)
	(*m)[packed] = tags
	return tags
}

// unpackTags returns a map from its keys and then its values, each after its length in bytes and a
// colon.
func unpackTags(packed string) map[string]string {
	var texts []string
	for packed != "" {
		length, rest, _ := strings.Cut(packed, ":")
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(rest) {
			break // ClickHouse writes no such text
		}
		texts, packed = append(texts, rest[:n]), rest[n:]
	}
	half := len(texts) / 2
	tags := make(map[string]string, half)
	for i, key := range texts[:half] {
		tags[key] = texts[half+i]
	}
	return tags
}
