package openai

import "tapedeck/schema"

// eventKind says what is to be done with an event.
type eventKind int

const (
	nothing eventKind = iota // known, and nothing to be concluded from it
	started
	ended
	failure
	itemAdded
	itemDone
	textDelta
	textDone
	partDone
	inputDelta // of a tool call
	inputDone
)

// event is a type of event.
type event struct {
	name   string
	kind   eventKind
	status schema.Status // of the run that ended
	// says is the kind of message that the event speaks of, member the name of
	// its text, part the name of its part's number.
	says         schema.MessageKind
	member, part string
	refusal      bool
}

// events are the types of events. Those that only say how far a hosted tool is,
// and those that repeat what another says as well, conclude nothing.
var events = index([]event{
	{name: "response.created", kind: started},
	{name: "response.queued", kind: started},
	{name: "response.in_progress", kind: started},
	{name: "response.completed", kind: ended, status: schema.StatusOK},
	{name: "response.incomplete", kind: ended, status: schema.StatusOK},
	{name: "response.failed", kind: ended, status: schema.StatusError},
	{name: "response.cancelled", kind: ended, status: schema.StatusCancelled},
	{name: "error", kind: failure},

	{name: "response.output_item.added", kind: itemAdded},
	{name: "response.output_item.done", kind: itemDone},

	{name: "response.content_part.added"},
	{name: "response.content_part.done", kind: partDone, part: "content_index"},
	{name: "response.output_text.delta", kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index"},
	{name: "response.output_text.done", kind: textDone, says: schema.MessageAssistant, member: "text", part: "content_index"},
	{name: "response.output_text.annotation.added"},
	{name: "response.refusal.delta", kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index", refusal: true},
	{name: "response.refusal.done", kind: textDone, says: schema.MessageAssistant, member: "refusal", part: "content_index", refusal: true},
	{name: "response.reasoning_text.delta", kind: textDelta, says: schema.MessageThinking, member: "delta", part: "content_index"},
	{name: "response.reasoning_text.done", kind: textDone, says: schema.MessageThinking, member: "text", part: "content_index"},
	{name: "response.reasoning_summary_part.added"},
	{name: "response.reasoning_summary_part.done", kind: partDone, says: schema.MessageThinking, part: "summary_index"},
	{name: "response.reasoning_summary_text.delta", kind: textDelta, says: schema.MessageThinking, member: "delta", part: "summary_index"},
	{name: "response.reasoning_summary_text.done", kind: textDone, says: schema.MessageThinking, member: "text", part: "summary_index"},

	{name: "response.audio.delta"},
	{name: "response.audio.done"},
	{name: "response.audio.transcript.delta", kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index"},
	{name: "response.audio.transcript.done"},

	{name: "response.function_call_arguments.delta", kind: inputDelta, member: "delta"},
	{name: "response.function_call_arguments.done", kind: inputDone, member: "arguments"},
	{name: "response.custom_tool_call_input.delta", kind: inputDelta, member: "delta"},
	{name: "response.custom_tool_call_input.done", kind: inputDone, member: "input"},
	{name: "response.mcp_call_arguments.delta", kind: inputDelta, member: "delta"},
	{name: "response.mcp_call_arguments.done", kind: inputDone, member: "arguments"},
	{name: "response.code_interpreter_call_code.delta", kind: inputDelta, member: "delta"},
	{name: "response.code_interpreter_call_code.done", kind: inputDone, member: "code"},

	{name: "response.web_search_call.in_progress"},
	{name: "response.web_search_call.searching"},
	{name: "response.web_search_call.completed"},
	{name: "response.file_search_call.in_progress"},
	{name: "response.file_search_call.searching"},
	{name: "response.file_search_call.completed"},
	{name: "response.code_interpreter_call.in_progress"},
	{name: "response.code_interpreter_call.interpreting"},
	{name: "response.code_interpreter_call.completed"},
	{name: "response.image_generation_call.in_progress"},
	{name: "response.image_generation_call.generating"},
	{name: "response.image_generation_call.partial_image"},
	{name: "response.image_generation_call.completed"},
	{name: "response.mcp_call.in_progress"},
	{name: "response.mcp_call.completed"},
	{name: "response.mcp_call.failed"},
	{name: "response.mcp_list_tools.in_progress"},
	{name: "response.mcp_list_tools.completed"},
	{name: "response.mcp_list_tools.failed"},
})

func index(list []event) map[string]*event {
	byName := make(map[string]*event, len(list))
	for i := range list {
		byName[list[i].name] = &list[i]
	}
	return byName
}
