package tapefacts

import (
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// EndOf returns when a span ended, ns. A span without an end of its own ends with its run, with its stream or
// with the recording.
func (s *Session) EndOf(span *spanmerge.Span) int64 {
	begin := span.Begin()
	if took, known := span.Duration(); known {
		return begin + max(took, 0)
	}
	if span.Open() {
		return begin + span.OpenFor(s.Row.Last)
	}
	return max(begin, span.Ended)
}

// UsageOfSpans returns the usage records by the id of the span that they count. A record whose span is not
// recorded belongs to the span of its run. A record with neither is left out.
func (s *Session) UsageOfSpans() map[string][]*usagerecord.Record {
	recorded, runs := map[string]bool{}, map[string]string{}
	for i := range s.Spans {
		span := &s.Spans[i]
		recorded[span.ID] = true
		if span.Kind == string(schema.SpanRun) && runs[span.Run] == "" {
			runs[span.Run] = span.ID
		}
	}
	of := map[string][]*usagerecord.Record{}
	for i := range s.Usage {
		r := &s.Usage[i]
		id := r.SpanID
		if !recorded[id] {
			id = runs[r.RunID]
		}
		if id != "" {
			of[id] = append(of[id], r)
		}
	}
	return of
}
