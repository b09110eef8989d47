package interactions

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// step is an open step of an interaction: text, thinking, a tool call or a result. Events name it
// by its index.
type step struct {
	index     int64
	tool      *model.Tool // the call of a tool step
	client    bool        // the client executes the call
	bare      bool        // the arguments have no members
	result    string      // the id of the call, for a result
	name      string      // the tool of that call
	returned  bool        // the result was seen
	citations dialect.List
	parts     dialect.List // the types of contents other than text
}

// Bounds: open steps, bytes of a text's citations, and bytes of the types of its parts.
const (
	stepLimit     = 64
	citationLimit = 64 << 10
	partsLimit    = 256
)

// parts maps the types of steps and of deltas to handlers. The start of a step may have content.
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
		"user_input":             nil, // part of the request
	})
}

// part reads the start or a delta of a step.
func (d *decoder) part(s *step, v *fastjson.Value, raw []byte) {
	typ, known := parts.Of(v.GetStringBytes("type"))
	if !known {
		d.Unknown()
	} else if typ.Handle != nil {
		typ.Handle(d, s, v, raw)
	}
}

// at returns the open step with an event's index, and begins one if there is none.
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

// stepStart begins a step, or a content in the first version of the API.
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

// stepStop ends a step. A usage in it is not the interaction's.
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

// wholeStep reads a step of an interaction that is not streamed.
func (d *decoder) wholeStep(i int, v *fastjson.Value, raw []byte) {
	s := step{index: int64(i)}
	d.part(&s, v, raw)
	d.finishStep(&s)
}

// finishStep completes the texts of a step, or ends its call.
func (d *decoder) finishStep(s *step) {
	d.Complete(schema.MessageAssistant, d.keyOf(s))
	d.Complete(schema.MessageThinking, d.keyOf(s))
	d.finishCall(s)
	if s.result != "" && !s.returned {
		d.ResultOf([]byte(s.result), []byte(s.name), nil, "", schema.StatusOK, nil)
	}
}

// keyOf returns the key of a step's growing messages.
func (d *decoder) keyOf(s *step) []byte {
	d.key = strconv.AppendInt(d.key[:0], s.index, 10)
	return d.key
}
