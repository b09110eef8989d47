package agui

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// needs are the members without which an event is not one of AG-UI's for sure.
var needs = map[string][]string{
	"RUN_STARTED":                   {"runId"},
	"RUN_FINISHED":                  {"runId"},
	"RUN_ERROR":                     {"message"},
	"STEP_STARTED":                  {"stepName"},
	"STEP_FINISHED":                 {"stepName"},
	"SUBAGENT_STARTED":              {"subagentRunId"},
	"SUBAGENT_FINISHED":             {"subagentRunId"},
	"SUBAGENT_ERROR":                {"subagentRunId"},
	"TEXT_MESSAGE_START":            {"messageId"},
	"TEXT_MESSAGE_CONTENT":          {"messageId", "delta"},
	"TEXT_MESSAGE_END":              {"messageId"},
	"TEXT_MESSAGE_CHUNK":            {"delta"},
	"REASONING_START":               {"messageId"},
	"REASONING_MESSAGE_START":       {"messageId"},
	"REASONING_MESSAGE_CONTENT":     {"messageId", "delta"},
	"REASONING_MESSAGE_END":         {"messageId"},
	"REASONING_MESSAGE_CHUNK":       {"delta"},
	"REASONING_END":                 {"messageId"},
	"REASONING_ENCRYPTED_VALUE":     {"encryptedValue"},
	"THINKING_TEXT_MESSAGE_CONTENT": {"delta"},
	"TOOL_CALL_START":               {"toolCallId", "toolCallName"},
	"TOOL_CALL_ARGS":                {"toolCallId", "delta"},
	"TOOL_CALL_END":                 {"toolCallId"},
	"TOOL_CALL_CHUNK":               {"delta"},
	"TOOL_CALL_RESULT":              {"toolCallId", "content"},
	"MESSAGES_SNAPSHOT":             {"messages"},
	"STATE_SNAPSHOT":                {"snapshot"},
	"STATE_DELTA":                   {"delta"},
	"ACTIVITY_SNAPSHOT":             {"activityType"},
	"ACTIVITY_DELTA":                {"activityType"},
}

// match judges a frame by itself. Types in capitals with low lines are AG-UI's
// alone; RAW and CUSTOM could be anybody's.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchRequest(in.JSON)
	}
	w, known := byType[string(in.JSON.GetStringBytes("type"))]
	if !known {
		return dialect.No, ""
	}
	evidence := "the event " + w.name
	if fields, listed := needs[w.name]; listed && has(in.JSON, fields...) {
		return dialect.Certain, evidence
	}
	switch w.name {
	case "RAW":
		if has(in.JSON, "event") {
			return dialect.Likely, evidence
		}
		return dialect.Possible, evidence
	case "CUSTOM":
		if has(in.JSON, "name", "value") {
			return dialect.Likely, evidence
		}
		return dialect.Possible, evidence
	}
	return dialect.Likely, evidence
}

// matchRequest judges what a client sends: a RunAgentInput.
func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	switch {
	case !has(v, "threadId", "runId", "messages"):
		return dialect.No, ""
	case has(v, "tools") || has(v, "context") || has(v, "forwardedProps") || has(v, "state"):
		return dialect.Certain, "a RunAgentInput"
	}
	return dialect.Likely, "a RunAgentInput"
}

func has(v *fastjson.Value, names ...string) bool {
	for _, name := range names {
		if !v.Exists(name) {
			return false
		}
	}
	return true
}
