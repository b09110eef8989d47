package sessiondetail

import (
	"fmt"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
)

// Discrepancy is a fault or a gap in a session's data that its figures do not show.
type Discrepancy struct {
	Code   string `json:"code"`
	Count  uint64 `json:"count"`
	Detail string `json:"detail"` // a readable sentence
}

// The codes of discrepancies.
const (
	LostAtSource  = "lost_at_source"
	UsageMismatch = "usage_total_mismatch"
	UnknownTypes  = "unknown_type"
	NotJSON       = "not_json"
	InvalidUTF8   = "invalid_utf8"
	Oversize      = "oversize"
	RepeatedIDs   = "repeated_ids"
	BackwardIDs   = "backward_ids"
	UnclosedSpans = "unclosed_spans"
	Inseparable   = "inseparable_runs"
	UnpricedCalls = "unpriced_calls"
	RepeatedBytes = "repeated_streams"
)

// repeatedStreams counts the streams whose bytes are equal to those of another stream of the
// session.
func repeatedStreams(streams []sessionstreams.Stream) uint64 {
	seen, repeated := map[string]bool{}, uint64(0)
	for i := range streams {
		if d := streams[i].Digest; d != "" {
			if seen[d] {
				repeated++
			}
			seen[d] = true
		}
	}
	return repeated
}

func discrepancies(
	c *sessionstreams.Counters, spans *sessionhead.SpanCounts, spent *cost.UsageTotals, repeated uint64,
) []Discrepancy {
	list := []Discrepancy{}
	for _, d := range []struct {
		code   string
		count  uint64
		one    string
		format string // text for a count above 1
	}{
		{LostAtSource, c.Lost, "1 frame was lost at the source: an id is missing in its numbering.",
			"%d frames were lost at the source: ids are missing in its numbering."},
		{UsageMismatch, spent.Discrepancies, "1 usage record states a total that is not the sum of its parts.",
			"%d usage records state totals that are not the sums of their parts."},
		{UnknownTypes, c.Unknown, "1 frame has a type that its dialect does not know; it is kept but not understood.",
			"%d frames have types that their dialect does not know; they are kept but not understood."},
		{NotJSON, c.NotJSON, "1 frame is not valid JSON.", "%d frames are not valid JSON."},
		{InvalidUTF8, c.InvalidUTF8, "1 frame is not valid UTF-8.", "%d frames are not valid UTF-8."},
		{Oversize, c.Oversize, "1 frame is a piece of a message over the size limit and was not decoded.",
			"%d frames are pieces of messages over the size limit and were not decoded."},
		{RepeatedIDs, c.Repeated,
			"1 frame repeats an earlier one: the id of the frame before it, or the end of its stream.",
			"%d frames repeat earlier ones: the ids of the frames before them, or the end of their stream."},
		{BackwardIDs, c.Back, "1 frame has an id below that of the frame before it.",
			"%d frames have ids below those of the frames before them."},
		{UnclosedSpans, spans.UnclosedSpans, "1 span never ended: its run or its stream ended first.",
			"%d spans never ended: their runs or streams ended first."},
		{Inseparable, spans.InseparableRuns,
			"1 run holds frames that may belong to another: several answers came at a time, and the frames do not name theirs.",
			"%d runs hold frames that may belong to others: several answers came at a time, and the frames do not name theirs."},
		{UnpricedCalls, spent.UnpricedCalls, "1 model call has no price and is not part of the cost.",
			"%d model calls have no price and are not part of the cost."},
		{RepeatedBytes, repeated,
			"1 stream has the same bytes as another stream of this session: what carries no ids of its own counts twice.",
			"%d streams have the same bytes as other streams of this session: what carries no ids of its own counts several times."},
	} {
		switch d.count {
		case 0:
		case 1:
			list = append(list, Discrepancy{d.code, 1, d.one})
		default:
			list = append(list, Discrepancy{d.code, d.count, fmt.Sprintf(d.format, d.count)})
		}
	}
	return list
}
