package findings

import (
	"encoding/json"

	"tapedeck/query/pricing/cost"
)

// Usage is one session's usage with its findings.
type Usage struct {
	// Calls counts the usage records of calls. Tokens is the sum of all records. TokensInTotalsOnly
	// is the sum of the records that are not of a call: the part of stream totals beyond the calls.
	Calls              uint64      `json:"calls"`
	Tokens             cost.Tokens `json:"tokens"`
	TokensInTotalsOnly int64       `json:"tokens_in_totals_only"`
	ModelCalls         ModelCalls  `json:"model_calls"`
	Arrivals           Arrivals    `json:"arrivals"`
	Losses             Losses      `json:"losses"`
	// Totals are the totals that streams state and that differ from the records or are not
	// comparable. StatedTotals is the number of stated totals, at most mostTotals.
	StatedTotals uint64  `json:"stated_totals"`
	Totals       []Total `json:"totals"`
	// StatedCosts are the costs that the source states, by currency.
	StatedCosts []StatedCost `json:"stated_costs"`
	Findings    []Finding    `json:"findings"`
}

// ModelCalls counts the calls of models by their usage.
type ModelCalls struct {
	Calls        uint64 `json:"calls" ch:"model_calls"`
	Open         uint64 `json:"open" ch:"open_calls"`
	WithoutUsage uint64 `json:"without_usage" ch:"without_usage"` // ended, and no usage arrived
	// CutOff counts calls that were cut off, failed or were cancelled before their usage arrived.
	CutOff uint64 `json:"cut_off" ch:"cut_off"`
	// CutOffWithUsage counts such calls with usage, which may only be what their start states.
	CutOffWithUsage uint64 `json:"cut_off_with_usage" ch:"cut_off_with_usage"`
	// StartOutput counts calls whose usage has the output of their start only.
	StartOutput uint64 `json:"start_output" ch:"start_output"`
	// InTotals counts calls without usage of their own, in a run whose total is recorded.
	InTotals uint64 `json:"in_totals" ch:"in_totals"`
}

// Arrivals counts usage that arrived more than once. Sums include it once, except SameMessage.
type Arrivals struct {
	InStreams uint64 `json:"in_streams" ch:"in_streams"` // under one id in several streams
	// InStreamsDiffering counts the part of InStreams with different figures.
	InStreamsDiffering uint64 `json:"in_streams_differing" ch:"in_streams_differing"`
	// InFrames counts usage in several frames of a stream, of which the last one counts.
	InFrames uint64 `json:"in_frames" ch:"in_frames"`
	// SameMessage counts usage under further ids for one message of a model, all of which count.
	SameMessage uint64 `json:"same_message" ch:"same_message"`
}

// Losses counts frames that streams lost, repeated or delivered in a form that could not be read.
type Losses struct {
	LostFrames     uint64 `json:"lost_frames" ch:"lost_frames"`         // ids missing in the source's numbering
	RepeatedFrames uint64 `json:"repeated_frames" ch:"repeated_frames"` // ids that were repeated
	// UnreadFrames counts frames that are not JSON, not UTF-8, or too long to be decoded.
	UnreadFrames uint64 `json:"unread_frames" ch:"unread_frames"`
	SameBytes    uint64 `json:"same_bytes" ch:"same_bytes"` // streams with the bytes of another one
	// TooDeep counts frames that are nested deeper than the decoders read.
	TooDeep     uint64 `json:"too_deep"`
	BadChecksum uint64 `json:"bad_checksum"` // frames that fail their checksum
	UnreadUsage uint64 `json:"unread_usage"` // frames with usage that no rule reads
}

// TotalKind says what a total covers.
type TotalKind string

// The kinds of totals.
const (
	RestTotal    TotalKind = "rest"    // of a run; part of it is in no call's usage
	RunningTotal TotalKind = "running" // of a thread or an agent so far
	RunTotal     TotalKind = "run"     // of a run, beside the usage of its calls
)

// Total is a total that a stream states, beside the recorded value.
type Total struct {
	Kind  TotalKind `json:"kind"`
	Of    string    `json:"of"`     // the id of the usage, the scope, or the run's span
	RunID *string   `json:"run_id"` // null if the frames name none
	// Stated and Calls are tokens; null if unknown or not comparable.
	Stated     *int64          `json:"stated"`
	Calls      *int64          `json:"calls"`
	Difference *int64          `json:"difference"` // stated minus calls
	Raw        json.RawMessage `json:"raw"`        // in the source's form
}
