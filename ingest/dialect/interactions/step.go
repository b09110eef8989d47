package interactions

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// step is an open step of an interaction: something that the model says or thinks, a call
// of a tool or its result. Events name it by its index.
type step struct {
	index     int64
	tool      *model.Tool // that it calls
	client    bool        // which the client executes
	bare      bool        // with arguments of no members
	result    string      // the id of the call whose result it is
	name      string      // of that call's tool
	returned  bool        // the result came
	citations dialect.List
	parts     dialect.List // the kinds of what is no text
}

// Bounds: open steps, bytes of a text's citations, bytes of the names of its parts.
const (
	stepLimit     = 64
	citationLimit = 64 << 10
	partsLimit    = 256
)

// parts are what a step begins with and what its deltas add, by their types: the
// beginning of a step holds what is known of it.
var parts dialect.Types[func(*decoder, *step, *fastjson.Value, []byte)]

func init() {
	parts = dialect.NewTypes(map[string]func(*decoder, *step, *fastjson.Value, []byte){
		"model_output":           (*decoder).contents,
		"text":                   (*decoder).said,
		"text_annotation":        (*decoder).annotated,
		"text_annotation_delta":  (*decoder).annotated,
		"image":                  (*decoder).media,
		"audio":                  (*decoder).media,
		"video":                  (*decoder).media,
		"document":               (*decoder).media,
		"thought":                (*decoder).thought,
		"thought_summary":        (*decoder).thoughtSummary,
		"thought_signature":      nil,
		functionCall:             (*decoder).toolCall,
		"arguments_delta":        (*decoder).argumentsDelta,
		functionResult:           (*decoder).toolResult,
		"google_search_call":     (*decoder).toolCall,
		"google_search_result":   (*decoder).toolResult,
		"google_maps_call":       (*decoder).toolCall,
		"google_maps_result":     (*decoder).toolResult,
		"code_execution_call":    (*decoder).toolCall,
		"code_execution_result":  (*decoder).toolResult,
		"url_context_call":       (*decoder).toolCall,
		"url_context_result":     (*decoder).toolResult,
		"file_search_call":       (*decoder).toolCall,
		"file_search_result":     (*decoder).toolResult,
		"mcp_server_tool_call":   (*decoder).toolCall,
		"mcp_server_tool_result": (*decoder).toolResult,
		"user_input":             nil, // of the request
	})
}

// part reads what a step begins with, or what is added to it.
func (d *decoder) part(s *step, v *fastjson.Value, raw []byte) {
	typ, known := parts.Of(v.GetStringBytes("type"))
	if !known {
		d.Unknown()
	} else if typ.Handle != nil {
		typ.Handle(d, s, v, raw)
	}
}

// at is the open step with an event's index; it begins where there is none.
func (d *decoder) at(v *fastjson.Value) *step {
	index := v.GetInt64("index")
	for i := range d.steps {
		if d.steps[i].index == index {
			return &d.steps[i]
		}
	}
	d.steps = dialect.AppendRecent(d.steps, step{index: index}, stepLimit)
	return &d.steps[len(d.steps)-1]
}

// stepStart begins a step, of the first version a content.
func (d *decoder) stepStart(in *dialect.Input) {
	name := "step"
	if in.JSON.Get("content") != nil {
		name = "content"
	}
	d.more(in, name)
}

// stepDelta adds to a step.
func (d *decoder) stepDelta(in *dialect.Input) { d.more(in, "delta") }

func (d *decoder) more(in *dialect.Input, name string) {
	if d.over() {
		return
	}
	d.answered()
	d.part(d.at(in.JSON), in.JSON.Get(name), dialect.RawMember(in.Data, name))
}

// stepStop ends a step. The usage that it may state is not that of the step's interaction.
func (d *decoder) stepStop(in *dialect.Input) {
	if d.over() {
		return
	}
	d.answered()
	s := d.at(in.JSON)
	d.finishStep(s)
	*s = d.steps[len(d.steps)-1]
	d.steps[len(d.steps)-1] = step{}
	d.steps = d.steps[:len(d.steps)-1]
}

// wholeStep reads a step of an interaction that comes whole.
func (d *decoder) wholeStep(i int, v *fastjson.Value, raw []byte) {
	s := step{index: int64(i)}
	d.part(&s, v, raw)
	d.finishStep(&s)
}

// finishStep completes what a step said, or ends the call that it is about.
func (d *decoder) finishStep(s *step) {
	d.Complete(schema.MessageAssistant, d.keyOf(s))
	d.Complete(schema.MessageThinking, d.keyOf(s))
	d.finishCall(s)
	if s.result != "" && !s.returned {
		d.ResultOf([]byte(s.result), []byte(s.name), nil, "", schema.StatusOK, nil)
	}
}

// keyOf names a step's texts among those that grow.
func (d *decoder) keyOf(s *step) []byte {
	d.key = strconv.AppendInt(d.key[:0], s.index, 10)
	return d.key
}
