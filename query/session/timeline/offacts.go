package timeline

import (
	"cmp"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// OfFacts returns the timeline of a session in memory, as Read returns it from the database.
func OfFacts(s *sessionstreams.Row, spans []spanmerge.Span, usage []usagerecord.Record, messages []messagemerge.Message) *Timeline {
	var gaps []gapsRow
	for i := range messages {
		if m := &messages[i]; m.Kind == schema.MessageAssistant && len(m.ChunkAt) > 1 {
			gaps = append(gaps, gapsOf(m))
		}
	}
	slices.SortFunc(gaps, func(a, b gapsRow) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.Message, b.Message))
	})
	return build(s, spans, usage, gaps, query.DefaultQuietAfter, time.Now().UnixNano())
}

// gapsOf returns the row that sql/gaps.sql returns for a message of several chunks.
func gapsOf(m *messagemerge.Message) gapsRow {
	row := gapsRow{Message: m.ID, Span: m.Span, Chunks: uint64(len(m.ChunkAt)), Started: m.Started}
	lengths := make([]int64, 0, len(m.ChunkAt)-1)
	for i := 1; i < len(m.ChunkAt); i++ {
		gap := m.ChunkAt[i] - m.ChunkAt[i-1]
		if i == 1 || gap > row.Max {
			row.Max, row.LongestFrom = gap, m.ChunkAt[i-1]
		}
		lengths = append(lengths, gap)
	}
	slices.Sort(lengths)
	half := len(lengths) / 2
	row.P50 = float64(lengths[half])
	if len(lengths)%2 == 0 {
		row.P50 = (float64(lengths[half-1]) + row.P50) / 2
	}
	return row
}
