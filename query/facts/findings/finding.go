package findings

import "fmt"

// Finding is a fault or a difference in a session's usage.
type Finding struct {
	Code   string `json:"code"`
	Count  uint64 `json:"count"`
	Detail string `json:"detail"` // a readable sentence
}

// The codes of findings.
const (
	StatedTotal        = "stated_total"
	BeganAnew          = "began_anew"
	RecordTotal        = "record_total"
	WithoutUsage       = "without_usage"
	CutOff             = "cut_off"
	CutOffWithUsage    = "cut_off_with_usage"
	InStreamsDiffering = "in_streams_differing"
	SameMessage        = "same_message"
	SameBytes          = "same_bytes"
	LostFrames         = "lost_frames"
	UnreadFrames       = "unread_frames"
	StatedCostDiffers  = "stated_cost"
	TooDeep            = "too_deep"
	BadChecksum        = "bad_checksum"
	UnreadUsage        = "unread_usage"
	StartOutput        = "start_output"
)

// Codes lists all codes.
var Codes = []string{
	StatedTotal, BeganAnew, RecordTotal, WithoutUsage, CutOff,
	CutOffWithUsage, InStreamsDiffering, SameMessage, SameBytes,
	LostFrames, UnreadFrames, TooDeep, BadChecksum, UnreadUsage, StartOutput, StatedCostDiffers,
}

// find returns the findings of a session. anew is the number of running totals that restarted,
// mismatches the number of records whose stated total is not the sum of their parts.
func (s *Usage) find(anew, mismatches uint64) []Finding {
	list, differing, costs := []Finding{}, uint64(0), uint64(0)
	for i := range s.StatedCosts {
		costs += s.StatedCosts[i].DifferingCalls
	}
	for i := range s.Totals {
		if s.Totals[i].Difference != nil {
			differing++
		}
	}
	for _, f := range []struct {
		code  string
		count uint64
		one   string
		many  string
	}{
		{StatedTotal, differing, "1 total that a stream states is not the sum of its calls.",
			"%d totals that streams state are not the sums of their calls."},
		{BeganAnew, anew, "1 running total is lower than the one before it; it counts whole.",
			"%d running totals are lower than those before them; they count whole."},
		{RecordTotal, mismatches, "1 usage record states a total that is not the sum of its parts.",
			"%d usage records state totals that are not the sums of their parts."},
		{WithoutUsage, s.ModelCalls.WithoutUsage, "1 model call ended and its usage never arrived.",
			"%d model calls ended and their usage never arrived."},
		{CutOff, s.ModelCalls.CutOff, "1 model call was cut off before its usage.",
			"%d model calls were cut off before their usage."},
		{CutOffWithUsage, s.ModelCalls.CutOffWithUsage,
			"1 model call was cut off; its usage may be what its start states.",
			"%d model calls were cut off; their usage may be what their starts state."},
		{InStreamsDiffering, s.Arrivals.InStreamsDiffering,
			"1 usage arrived in several streams with different figures; the one stated last counts.",
			"%d usages arrived in several streams with different figures; those stated last count."},
		{SameMessage, s.Arrivals.SameMessage, "1 usage is of a message that another one counts already.",
			"%d usages are of messages that others count already."},
		{SameBytes, s.Losses.SameBytes, "1 stream has the bytes of another one: what carries no ids counts twice.",
			"%d streams have the bytes of others: what carries no ids counts several times."},
		{LostFrames, s.Losses.LostFrames, "1 frame was lost at the source, and any usage in it.",
			"%d frames were lost at the source, and any usage in them."},
		{UnreadFrames, s.Losses.UnreadFrames, "1 frame could not be read, nor any usage in it.",
			"%d frames could not be read, nor any usage in them."},
		{TooDeep, s.Losses.TooDeep,
			"1 frame is nested too deep to be decoded (--max-json-depth), with any usage in it.",
			"%d frames are nested too deep to be decoded (--max-json-depth), with any usage in them."},
		{BadChecksum, s.Losses.BadChecksum, "1 frame fails its checksum; usage in it may be wrong.",
			"%d frames fail their checksums; usage in them may be wrong."},
		{UnreadUsage, s.Losses.UnreadUsage, "1 frame states usage that no rule reads; it is in no sum.",
			"%d frames state usage that no rule reads; it is in no sum."},
		{StartOutput, s.ModelCalls.StartOutput, "1 model call states the output of its start only; it said more than is counted.",
			"%d model calls state the output of their starts only; they said more than is counted."},
		{StatedCostDiffers, costs, "1 call states a cost that is not its price.",
			"%d calls state costs that are not their prices."},
	} {
		switch f.count {
		case 0:
		case 1:
			list = append(list, Finding{f.code, 1, f.one})
		default:
			list = append(list, Finding{f.code, f.count, fmt.Sprintf(f.many, f.count)})
		}
	}
	return list
}
