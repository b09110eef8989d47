// Package custom reads streams with a mapping file, which makes a protocol a dialect without
// code. docs/dialects/custom.md describes the file.
package custom

import (
	"regexp"

	"tapedeck/schema"
)

// Mapping is a mapping file. It is immutable and serves any number of streams.
type Mapping struct {
	Name  string // of the dialect
	About string // what the protocol is
	File  string // where it was read

	match []conditions // a frame that fulfils one of them is of this dialect
	// history: frames are lines of a file that an agent keeps. They have whole messages, so that the
	// time of the first token is not known.
	history bool
	// lasting: a line is not changed, so that the ids of facts may follow from it.
	lasting bool
	fields  fields
	rules   []rule
	// subagents: a rule or a path of the file names sub-agents.
	subagents bool
}

// Rules returns the number of rules.
func (m *Mapping) Rules() int { return len(m.rules) }

// fields are read from every frame.
type fields struct {
	typ, session, run, agent, subagent, model, provider, time, eventID places
}

// rule is what frames that fulfil its conditions mean.
type rule struct {
	when conditions
	sent bool   // it has a condition on the direction, and applies to frames of the client as well
	each places // the rule is applied to each value here; nil applies it to the frame once
	// subagent makes the frame one of a sub-agent.
	subagent *subagent

	start    *start
	end      schema.Status // "" for none
	call     callAction
	user     userText
	system   places
	text     *text
	thinking *text
	toolCall *toolCall
	wait     *toolWait
	result   *toolResult
	usage    *usage
	limit    *limit
	err      places
}

// start begins a run.
type start struct{ name places }

// callAction is the effect on the call of the model.
type callAction uint8

const (
	noCall callAction = iota
	callStart
	callEnd
)

// userText is what the user says.
type userText struct {
	path    places
	without *regexp.Regexp // parts that are not of the user, or nil
}

// text is a part of the model's output.
type text struct {
	path places
	key  places // distinguishes several texts
	mode textMode
}

// textMode is how the parts of a text are joined.
type textMode uint8

const (
	delta    textMode = iota // each part is added to the text
	snapshot                 // each part is the whole text so far
	whole                    // each part is a message; one that repeats the deltas ends their message
)

// toolCall is a tool call or a part of one.
type toolCall struct{ id, name, arguments, delta places }

// toolResult is the end of a tool call.
type toolResult struct{ id, name, output, err places }

// usage is the place of a report of tokens.
type usage struct {
	input, cacheRead, cacheWrite, cacheWrite1h places
	output, reasoning, total                   places
	id, model, provider                        places
	mode                                       usageMode
	inputIncludesCache                         bool
	outputIncludesReasoning                    bool
	outputByTotal                              bool // the total states whether output includes reasoning
	repeats                                    bool // another rule may read the same report
}

// limit is the place of what a frame states of a limit of its account.
type limit struct {
	name, plan, status              places
	used, max, usedPercent, balance places
	window, resets, unlimited       places
}

// usageMode is how reports add up.
type usageMode uint8

const (
	addUsage        usageMode = iota // all reports add up
	lastUsage                        // the last report of a run counts
	cumulativeUsage                  // each report is the session's total so far
)
