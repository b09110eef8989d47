package findings

import (
	"encoding/json"

	"tapedeck/query/pricing/cost"
)

// Usage is one session's usage and what of it does not add up.
type Usage struct {
	// Calls are usage records that stand for calls, Tokens the sum of all records, and
	// TokensInTotalsOnly that of those which are of no call: what a stream's total holds
	// beyond its calls.
	Calls              uint64      `json:"calls"`
	Tokens             cost.Tokens `json:"tokens"`
	TokensInTotalsOnly int64       `json:"tokens_in_totals_only"`
	ModelCalls         ModelCalls  `json:"model_calls"`
	Arrivals           Arrivals    `json:"arrivals"`
	Losses             Losses      `json:"losses"`
	// Totals are those that streams state and that are not equal to the records, or are
	// not comparable; StatedTotals is how many they state, and mostTotals at most.
	StatedTotals uint64  `json:"stated_totals"`
	Totals       []Total `json:"totals"`
	// StatedCosts are the costs that the source states, by currency.
	StatedCosts []StatedCost `json:"stated_costs"`
	Findings    []Finding    `json:"findings"`
}

// ModelCalls counts the calls of models by their usage.
type ModelCalls struct {
	Calls           uint64 `json:"calls" ch:"model_calls"`
	Open            uint64 `json:"open" ch:"open_calls"`
	WithoutUsage    uint64 `json:"without_usage" ch:"without_usage"`           // ended, and no usage arrived
	CutOff          uint64 `json:"cut_off" ch:"cut_off"`                       // cut off, failed or cancelled before their usage
	CutOffWithUsage uint64 `json:"cut_off_with_usage" ch:"cut_off_with_usage"` // so that their usage may be what their start states
	StartOutput     uint64 `json:"start_output" ch:"start_output"`             // whose usage has the output of their start only
	InTotals        uint64 `json:"in_totals" ch:"in_totals"`                   // without usage of their own, in a run whose total is recorded
}

// Arrivals counts usage that arrived more than once. It counts once in all sums but for
// SameMessage.
type Arrivals struct {
	InStreams          uint64 `json:"in_streams" ch:"in_streams"`                     // under one id in several streams
	InStreamsDiffering uint64 `json:"in_streams_differing" ch:"in_streams_differing"` // of those: with other figures
	InFrames           uint64 `json:"in_frames" ch:"in_frames"`                       // in several frames of a stream: the last counts
	SameMessage        uint64 `json:"same_message" ch:"same_message"`                 // under further ids for one message of a model: each counts
}

// Losses counts what streams lost, repeated or could not be read of.
type Losses struct {
	LostFrames     uint64 `json:"lost_frames" ch:"lost_frames"`         // ids missing in the source's numbering
	RepeatedFrames uint64 `json:"repeated_frames" ch:"repeated_frames"` // ids that were repeated
	UnreadFrames   uint64 `json:"unread_frames" ch:"unread_frames"`     // not JSON, not UTF-8, or too long to be decoded
	SameBytes      uint64 `json:"same_bytes" ch:"same_bytes"`           // streams with the bytes of another one
	TooDeep        uint64 `json:"too_deep"`                             // frames that are nested deeper than the decoders read
	BadChecksum    uint64 `json:"bad_checksum"`                         // frames that fail their checksum
	UnreadUsage    uint64 `json:"unread_usage"`                         // frames with usage that no rule reads
}

// TotalKind is what a total is of.
type TotalKind string

// The kinds of totals.
const (
	RestTotal    TotalKind = "rest"    // of a run, part of which is in no call's usage
	RunningTotal TotalKind = "running" // of a thread or an agent so far
	RunTotal     TotalKind = "run"     // of a run, beside the usage of its calls
)

// Total is a total that a stream states beside what is recorded of the same.
type Total struct {
	Kind  TotalKind `json:"kind"`
	Of    string    `json:"of"`     // the id of the usage, the scope, or the run's span
	RunID *string   `json:"run_id"` // null where the frames name none
	// Stated and Calls are tokens; null where they are not known, or of different things.
	Stated     *int64          `json:"stated"`
	Calls      *int64          `json:"calls"`
	Difference *int64          `json:"difference"` // stated less calls
	Raw        json.RawMessage `json:"raw"`        // as the source states it
}
