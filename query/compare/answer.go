package compare

import (
	"time"

	"tapedeck/query/compare/difference"
	"tapedeck/query/compare/normalise"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/pricing/cost"
)

// Comparison lists the steps of two sessions side by side and the first difference.
type Comparison struct {
	A       Side    `json:"a"`
	B       Side    `json:"b"`
	Summary Summary `json:"summary"`
	// FirstDivergence is null if nothing differs.
	FirstDivergence *Divergence `json:"first_divergence"`
	// Steps are the aligned steps of both sessions. A step that contains others comes before them;
	// their depth is greater by one.
	Steps []Row `json:"steps"`
	// Agents lists the agents that have another name in B. It is empty if no name differs.
	Agents []AgentNames `json:"agents"`
	// Ignored counts the values that each rule ignored.
	Ignored []Ignored `json:"ignored"`
}

// Side is one of the two sessions.
type Side struct {
	SessionID  string             `json:"session_id"`
	Title      string             `json:"title"`
	Status     sessionhead.Status `json:"status"`
	Started    time.Time          `json:"started"`
	DurationMS float64            `json:"duration_ms"`
	Dialects   []string           `json:"dialects"`
	// Steps is the number of compared steps. Truncated reports that the session has more.
	Steps     int  `json:"steps"`
	Truncated bool `json:"truncated"`
	// Time is the sum of the splits of the compared steps. Concurrent steps are each counted in
	// full.
	Time Split `json:"time"`
	Totals
}

// Summary holds the figures of the whole comparison.
type Summary struct {
	Sentence  string `json:"sentence"`
	Identical bool   `json:"identical"`  // there are no differences, of agents' names either, except ignored ones
	SameSteps int    `json:"same_steps"` // number of steps before the first divergence
	// Classes counts the rows of each class. Resynchronised counts the runs of equal steps that
	// follow a difference.
	Classes        map[Class]int `json:"classes"`
	Resynchronised int           `json:"resynchronised"`
	// DurationMS, Time, Tokens and Cost are B minus A; null unless both sessions have the value.
	DurationMS float64     `json:"duration_ms"`
	Time       Split       `json:"time"`
	Tokens     *int64      `json:"tokens"`
	Cost       *cost.Money `json:"cost"`
}

// Class is the result of comparing the two sides of a row.
type Class string

// The classes. If inputs (arguments, the text of a prompt, a model) and results differ, the
// class is ArgumentsChanged.
const (
	Matched          Class = "matched"
	ArgumentsChanged Class = "arguments_changed"
	ResultChanged    Class = "result_changed"
	OnlyA            Class = "only_a"
	OnlyB            Class = "only_b"
	Reordered        Class = "reordered" // the same step at another position
	Retried          Class = "retried"   // the step failed on one side, and a retry succeeded
)

// Classes lists all classes.
var Classes = []Class{Matched, ArgumentsChanged, ResultChanged, OnlyA, OnlyB, Reordered, Retried}

// Field is a part of a step.
type Field string

// Fields.
const (
	FieldArguments Field = "arguments"
	FieldResult    Field = "result"
	FieldText      Field = "text"
	FieldThinking  Field = "thinking"
	FieldStatus    Field = "status"
	FieldModel     Field = "model"
	FieldTools     Field = "tools"      // the tool definitions of a request
	FieldParams    Field = "parameters" // other members of a request
)

// Row is a pair of steps, or a step that only one session has.
type Row struct {
	Index int   `json:"index"` // from 0
	Depth int   `json:"depth"`
	Class Class `json:"class"`
	Kind  Kind  `json:"kind"`
	// Name is the name of the tool, the node or the model.
	Name    string  `json:"name"`
	Changed []Field `json:"changed"` // the fields that differ
	// Resynchronised reports that a run of equal steps begins here after a difference.
	Resynchronised bool    `json:"resynchronised"`
	A              *StepOf `json:"a"` // null if the step is in B alone
	B              *StepOf `json:"b"`
	// Difference is B minus A; null unless the row has both steps.
	Difference *Delta `json:"difference"`
	// Detail is null unless the query requests a row.
	Detail []FieldDiff `json:"detail,omitempty"`

	a, b *step
}

// StepOf is a step of one session.
type StepOf struct {
	Number     int      `json:"number"` // number in its session, from 1
	ID         string   `json:"id"`     // of its span or message
	Position   string   `json:"position"`
	StartMS    float64  `json:"start_ms"`
	DurationMS *float64 `json:"duration_ms"` // null if the step did not end
	Status     string   `json:"status"`
	Agent      string   `json:"agent"`
	Error      string   `json:"error"`
	Excerpt    string   `json:"excerpt"` // of its arguments or its text
	Time       Split    `json:"time"`
	Totals
}

// Delta holds differences, B minus A.
type Delta struct {
	DurationMS *float64    `json:"duration_ms"`
	Time       Split       `json:"time"`
	Tokens     *int64      `json:"tokens"`
	Cost       *cost.Money `json:"cost"`
}

// FieldDiff lists the differences of one field of a step.
type FieldDiff struct {
	Field Field  `json:"field"`
	Same  bool   `json:"same"`
	A     string `json:"a"`
	B     string `json:"b"`
	Cut   bool   `json:"cut"` // the texts are longer than the part that was compared word by word
	// Words are the differences of texts, Paths the differences of JSON. More reports that Paths is
	// cut.
	Words []difference.Piece  `json:"words"`
	Paths []difference.Change `json:"paths"`
	More  bool                `json:"more"`
}

// Divergence holds the first difference of inputs and the first difference of outputs. Each is null
// if nothing of that kind differs.
type Divergence struct {
	Input  *First `json:"input"`  // a prompt, tool definitions, a model, parameters, a tool's result
	Output *First `json:"output"` // a text, a tool call, an end
	// Action is the first output that differs in more than the wording of a text.
	Action *First `json:"action"`
	// Cause is "input" or "output", whichever differs first.
	Cause string `json:"cause"`
}

// First is the first difference of a kind.
type First struct {
	What  string   `json:"what"`
	Row   int      `json:"row"`
	A     *StepOf  `json:"a"`
	B     *StepOf  `json:"b"`
	Names []string `json:"names"` // names of parameters or tools
	// TextA and TextB are excerpts that begin near the difference.
	TextA  string `json:"text_a"`
	TextB  string `json:"text_b"`
	Phrase string `json:"phrase"` // the difference as a phrase of a sentence

	order int
}

// Ignored counts the values that a rule ignored.
type Ignored struct {
	Rule  normalise.Rule `json:"rule"`
	Count int            `json:"count"`
}
