// Package assert checks conditions on a recorded session: of a tape file, without a server, or of a
// server.
package assert

import (
	"cmp"
	"regexp"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/ingest/dialect/custom"
)

// Conditions are what is asserted about a session. Conditions that are nil or empty are not checked.
type Conditions struct {
	Fails      *bool // the status of the session is error, or is not
	Duration   *Range[time.Duration]
	FirstToken *Range[time.Duration] // of each call of a model
	LongestGap *Range[time.Duration] // between two chunks of a call of a model
	Silence    *Range[time.Duration] // longest time without a frame
	Tokens     *Range[int64]
	Cost       *Cost
	ToolErrors *Range[int64] // number of tool calls with the status error
	Calls      []Calls
	Order      []string // calls of tools in this order, with others between them
	ExactOrder []string // all calls of tools, in order
	Texts      []Text
	Arguments  []Argument
	SameSteps  *SameSteps
}

// Range is a lower and an upper bound, each nil for none.
type Range[T cmp.Ordered] struct{ Min, Max *T }

// Holds reports whether a value is within the bounds.
func (r *Range[T]) Holds(v T) bool {
	return (r.Min == nil || v >= *r.Min) && (r.Max == nil || v <= *r.Max)
}

// Exactly returns the range of one value.
func Exactly[T cmp.Ordered](v T) *Range[T] { return &Range[T]{&v, &v} }

// AtMost returns the range up to a value.
func AtMost[T cmp.Ordered](v T) *Range[T] { return &Range[T]{Max: &v} }

// Cost bounds the cost of a session.
type Cost struct {
	Min, Max *decimal.Decimal
	Currency string // ISO 4217; "" for that of the prices
}

// Calls bounds the number of calls of a tool.
type Calls struct {
	Tool string
	Range[int64]
}

// Text is a condition on the texts of messages. Either Contains or Matches is set.
type Text struct {
	Assistant bool // only what the assistant said; otherwise any message
	Contains  string
	Matches   *regexp.Regexp
	Absent    bool // no message has the text
}

// Argument is a condition on a value in the arguments of the calls of a tool. At most one of Equals,
// Contains and Matches is set; without one the value must exist.
type Argument struct {
	Tool     string
	PathText string
	Path     *custom.Path
	Equals   *any // as encoding/json decodes it
	Contains string
	Matches  *regexp.Regexp
	Call     int  // number of the call of the tool, from 1; 0 for any call
	Every    bool // the condition holds for every call
}

// SameSteps is the condition that a session has the steps of another one.
type SameSteps struct {
	As     string // a tape file, or the id of a session of the server
	path   string // of a tape file that a file of conditions names; "" otherwise
	Within int    // only the first steps; 0 for all
	Words  bool   // differences between texts of answers count as well
}

// empty reports whether nothing is asserted.
func (c *Conditions) empty() bool {
	return c.Fails == nil && c.Duration == nil && c.Silence == nil && !c.needsFacts()
}

// needsFacts reports whether a condition needs more of a recording than its frames and streams.
func (c *Conditions) needsFacts() bool {
	return c.Fails != nil || c.FirstToken != nil || c.LongestGap != nil || c.Tokens != nil || c.Cost != nil ||
		c.ToolErrors != nil || len(c.Calls) > 0 || len(c.Order) > 0 || len(c.ExactOrder) > 0 || len(c.Texts) > 0 ||
		len(c.Arguments) > 0 || c.SameSteps != nil
}
