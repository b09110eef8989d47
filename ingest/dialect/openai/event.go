package openai

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// created is the type of a response's first event.
const created = "response.created"

// eventKind selects the handling of an event.
type eventKind int

const (
	nothing eventKind = iota // known and ignored
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

// event describes how a type of event is handled.
type event struct {
	kind   eventKind
	status schema.Status // of the run that ended
	// says is the kind of message of the event, member the name of its text, and part the name of
	// its part's number.
	says         schema.MessageKind
	member, part string
	refusal      bool
}

// events maps types of events. Events on the progress of a hosted tool, and events that repeat
// others, are ignored.
var events = dialect.NewTypes(map[string]event{
	created:                {kind: started},
	"response.queued":      {kind: started},
	"response.in_progress": {kind: started},
	"response.completed":   {kind: ended, status: schema.StatusOK},
	"response.incomplete":  {kind: ended, status: schema.StatusOK},
	"response.failed":      {kind: ended, status: schema.StatusError},
	"response.cancelled":   {kind: ended, status: schema.StatusCancelled},
	"error":                {kind: failure},

	"response.output_item.added": {kind: itemAdded},
	"response.output_item.done":  {kind: itemDone},

	"response.content_part.added":           {},
	"response.content_part.done":            {kind: partDone, part: "content_index"},
	"response.output_text.delta":            {kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index"},
	"response.output_text.done":             {kind: textDone, says: schema.MessageAssistant, member: "text", part: "content_index"},
	"response.output_text.annotation.added": {},
	"response.refusal.delta":                {kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index", refusal: true},
	"response.refusal.done":                 {kind: textDone, says: schema.MessageAssistant, member: "refusal", part: "content_index", refusal: true},
	"response.reasoning_text.delta":         {kind: textDelta, says: schema.MessageThinking, member: "delta", part: "content_index"},
	"response.reasoning_text.done":          {kind: textDone, says: schema.MessageThinking, member: "text", part: "content_index"},
	"response.reasoning_summary_part.added": {},
	"response.reasoning_summary_part.done":  {kind: partDone, says: schema.MessageThinking, part: "summary_index"},
	"response.reasoning_summary_text.delta": {kind: textDelta, says: schema.MessageThinking, member: "delta", part: "summary_index"},
	"response.reasoning_summary_text.done":  {kind: textDone, says: schema.MessageThinking, member: "text", part: "summary_index"},

	"response.audio.delta":            {},
	"response.audio.done":             {},
	"response.audio.transcript.delta": {kind: textDelta, says: schema.MessageAssistant, member: "delta", part: "content_index"},
	"response.audio.transcript.done":  {},

	"response.function_call_arguments.delta":    {kind: inputDelta, member: "delta"},
	"response.function_call_arguments.done":     {kind: inputDone, member: "arguments"},
	"response.custom_tool_call_input.delta":     {kind: inputDelta, member: "delta"},
	"response.custom_tool_call_input.done":      {kind: inputDone, member: "input"},
	"response.mcp_call_arguments.delta":         {kind: inputDelta, member: "delta"},
	"response.mcp_call_arguments.done":          {kind: inputDone, member: "arguments"},
	"response.code_interpreter_call_code.delta": {kind: inputDelta, member: "delta"},
	"response.code_interpreter_call_code.done":  {kind: inputDone, member: "code"},

	"response.shell_call_command.added":              {},
	"response.shell_call_command.delta":              {},
	"response.shell_call_command.done":               {},
	"response.shell_call_output_content.delta":       {},
	"response.shell_call_output_content.done":        {},
	"response.apply_patch_call_operation_diff.delta": {},
	"response.apply_patch_call_operation_diff.done":  {},

	"response.web_search_call.in_progress":         {},
	"response.web_search_call.searching":           {},
	"response.web_search_call.completed":           {},
	"response.file_search_call.in_progress":        {},
	"response.file_search_call.searching":          {},
	"response.file_search_call.completed":          {},
	"response.code_interpreter_call.in_progress":   {},
	"response.code_interpreter_call.interpreting":  {},
	"response.code_interpreter_call.completed":     {},
	"response.image_generation_call.in_progress":   {},
	"response.image_generation_call.generating":    {},
	"response.image_generation_call.partial_image": {},
	"response.image_generation_call.completed":     {},
	"response.mcp_call.in_progress":                {},
	"response.mcp_call.completed":                  {},
	"response.mcp_call.failed":                     {},
	"response.mcp_list_tools.in_progress":          {},
	"response.mcp_list_tools.completed":            {},
	"response.mcp_list_tools.failed":               {},
})
