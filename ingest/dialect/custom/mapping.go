// Package custom reads streams as a mapping file describes them: a protocol becomes a
// dialect without code. docs/dialects/custom.md describes the file.
package custom

import (
	"tapedeck/schema"
)

// Mapping is a mapping file that was read. It is immutable and serves any number of
// streams.
type Mapping struct {
	Name  string // of the dialect
	About string // what the protocol is
	File  string // where it was read

	match  []conditions // a frame that fulfils one of them is of this dialect
	fields fields
	rules  []rule
}

// Rules returns the number of rules.
func (m *Mapping) Rules() int { return len(m.rules) }

// fields are read from every frame.
type fields struct {
	typ, session, run, agent, model, provider, time, eventID places
}

// rule is what is concluded from the frames that fulfil its conditions.
type rule struct {
	when conditions
	sent bool   // it has a condition on the direction: frames that a client sent count too
	each places // it is applied to each value there; nil for the frame once

	start    *start
	end      schema.Status // "" for none
	call     callAction
	user     places
	system   places
	text     *text
	thinking *text
	toolCall *toolCall
	result   *toolResult
	usage    *usage
	err      places
}

// start begins a run.
type start struct{ name places }

// callAction is what happens to the call of a model.
type callAction uint8

const (
	noCall callAction = iota
	callStart
	callEnd
)

// text is a part of the model's output.
type text struct {
	path places
	key  places // which of several texts it belongs to
	mode textMode
}

// textMode is how texts of one message come.
type textMode uint8

const (
	delta    textMode = iota // each adds to the text
	snapshot                 // each is the whole text so far
	whole                    // each is a message; one that repeats the deltas ends their message
)

// toolCall is a call of a tool, or a part of one.
type toolCall struct{ id, name, arguments, delta places }

// toolResult is the end of one.
type toolResult struct{ id, name, output, err places }

// usage is where a report of tokens stands.
type usage struct {
	input, cacheRead, cacheWrite, cacheWrite1h places
	output, reasoning, total                   places
	id, model, provider                        places
	mode                                       usageMode
	inputIncludesCache                         bool
	outputIncludesReasoning                    bool
}

// usageMode is how reports are put together.
type usageMode uint8

const (
	addUsage        usageMode = iota // each report counts for itself
	lastUsage                        // the last one of a run counts
	cumulativeUsage                  // each is the total so far of the session
)
