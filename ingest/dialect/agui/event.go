package agui

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// event describes a type of event. Nothing is concluded from a type without read.
type event struct {
	read func(*decoder, *dialect.Input)
	// needs are the members that identify a frame as AG-UI.
	needs []string
	// common: other protocols have the type as well.
	common bool
}

const (
	runStarted    = "RUN_STARTED"
	runFinished   = "RUN_FINISHED"
	runError      = "RUN_ERROR"
	textChunk     = "TEXT_MESSAGE_CHUNK"
	thinkingChunk = "REASONING_MESSAGE_CHUNK"
	toolChunk     = "TOOL_CALL_CHUNK"
	rawEvent      = "RAW"
	snapshotEvent = "MESSAGES_SNAPSHOT"
)

// events maps types of events. Types with THINKING_ are the earlier names of types with
// REASONING_.
var events = dialect.NewTypes(map[string]event{
	runStarted:          {read: (*decoder).runStarted, needs: []string{"threadId", "runId"}},
	runFinished:         {read: (*decoder).runFinished, needs: []string{"threadId", "runId"}},
	runError:            {read: (*decoder).runError, needs: []string{"message"}, common: true},
	"STEP_STARTED":      {read: (*decoder).stepStarted, needs: []string{"stepName"}, common: true},
	"STEP_FINISHED":     {read: (*decoder).stepFinished, needs: []string{"stepName"}, common: true},
	"SUBAGENT_STARTED":  {read: (*decoder).agentStarted, needs: []string{"subagentRunId"}},
	"SUBAGENT_FINISHED": {read: (*decoder).agentFinished, needs: []string{"subagentRunId"}},
	"SUBAGENT_ERROR":    {read: (*decoder).agentFailed, needs: []string{"subagentRunId"}},

	"TEXT_MESSAGE_START":   {read: (*decoder).textStart, needs: []string{"messageId"}},
	"TEXT_MESSAGE_CONTENT": {read: (*decoder).textContent, needs: []string{"messageId", "delta"}},
	"TEXT_MESSAGE_END":     {read: (*decoder).textEnd, needs: []string{"messageId"}},
	textChunk:              {read: (*decoder).textChunk, needs: []string{"delta"}},
	"REASONING_START":      {needs: []string{"messageId"}},
	// An earlier message with the id ends.
	"REASONING_MESSAGE_START":       {read: (*decoder).thinkingEnd, needs: []string{"messageId"}},
	"REASONING_MESSAGE_CONTENT":     {read: (*decoder).thinkingContent, needs: []string{"messageId", "delta"}},
	"REASONING_MESSAGE_END":         {read: (*decoder).thinkingEnd, needs: []string{"messageId"}},
	thinkingChunk:                   {read: (*decoder).textChunk, needs: []string{"delta"}},
	"REASONING_END":                 {read: (*decoder).thinkingEnd, needs: []string{"messageId"}},
	"REASONING_ENCRYPTED_VALUE":     {needs: []string{"encryptedValue"}},
	"THINKING_START":                {},
	"THINKING_TEXT_MESSAGE_START":   {read: (*decoder).thinkingEnd},
	"THINKING_TEXT_MESSAGE_CONTENT": {read: (*decoder).thinkingContent, needs: []string{"delta"}},
	"THINKING_TEXT_MESSAGE_END":     {read: (*decoder).thinkingEnd},
	"THINKING_END":                  {read: (*decoder).thinkingEnd},

	"TOOL_CALL_START":  {read: (*decoder).toolStart, needs: []string{"toolCallId", "toolCallName"}},
	"TOOL_CALL_ARGS":   {read: (*decoder).toolArgs, needs: []string{"toolCallId", "delta"}},
	"TOOL_CALL_END":    {read: (*decoder).toolEnd, needs: []string{"toolCallId"}},
	toolChunk:          {read: (*decoder).toolChunk, needs: []string{"delta"}},
	"TOOL_CALL_RESULT": {read: (*decoder).toolResult, needs: []string{"toolCallId", "content"}},

	snapshotEvent:       {read: (*decoder).snapshot, needs: []string{"messages"}},
	"STATE_SNAPSHOT":    {needs: []string{"snapshot"}, common: true},
	"STATE_DELTA":       {needs: []string{"delta"}, common: true},
	"ACTIVITY_SNAPSHOT": {needs: []string{"activityType"}},
	"ACTIVITY_DELTA":    {needs: []string{"activityType"}},
	rawEvent:            {read: (*decoder).rawUsage, needs: []string{"event"}, common: true},
	"CUSTOM":            {needs: []string{"name", "value"}, common: true},
})

// match judges one frame. Types in capitals with underscores are rare in other protocols;
// together with AG-UI's ids and names they occur in AG-UI only.
func match(in *dialect.Input) (dialect.Confidence, string) {
	v := in.JSON
	if v == nil {
		return dialect.No, ""
	}
	has := func(names ...string) bool {
		for _, name := range names {
			value := v.Get(name)
			text := strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Name")
			if value == nil || text && value.Type() != fastjson.TypeString {
				return false
			}
		}
		return len(names) > 0
	}
	if in.Direction == schema.Send {
		switch {
		case !has("threadId", "runId", "messages"):
			return dialect.No, ""
		case has("tools") || has("context") || has("forwardedProps") || has("state"):
			return dialect.Certain, "a RunAgentInput"
		}
		return dialect.Likely, "a RunAgentInput"
	}
	typ, known := events[string(v.GetStringBytes("type"))]
	if !known {
		return dialect.No, ""
	}
	sure := dialect.Likely
	if has(typ.Handle.needs...) {
		sure = dialect.Certain
	}
	if typ.Handle.common {
		sure--
	}
	return sure, "the event " + typ.Name
}
