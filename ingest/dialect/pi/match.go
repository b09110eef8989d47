package pi

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one line. Other dialects have many of its types, but not with these messages
// inside.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if !dialect.IsObject(in.JSON) || in.Direction == schema.Send {
		return dialect.No, ""
	}
	typ := string(in.JSON.GetStringBytes("type"))
	sure := matchType(in, typ)
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the line " + typ
}

func matchType(in *dialect.Input, typ string) dialect.Confidence {
	v := in.JSON
	text := func(path ...string) bool { return v.GetStringBytes(path...) != nil }
	switch typ {
	case "session":
		switch {
		case !text("id") || !text("cwd") || timeOfHead(in) == 0:
		case dialect.IsNumber(v.Get("version")), text("modelId") && text("provider"):
			return dialect.Certain
		default:
			return dialect.Likely
		}
	case "message_start", "message_end":
		return matchMessage(in)
	case "message":
		if dialect.TextTime(v.GetStringBytes("timestamp")) != 0 {
			return matchMessage(in)
		}
	case "message_update":
		if text("assistantMessageEvent", "type") {
			return dialect.Certain
		}
	case "turn_end":
		if text("message", "role") && dialect.IsArray(v.Get("toolResults")) {
			return dialect.Certain
		}
	case "tool_execution_start", "tool_execution_update", "tool_execution_end":
		if text("toolCallId") && text("toolName") {
			return dialect.Certain
		}
	case "agent_end":
		if dialect.IsArray(v.Get("messages")) {
			return dialect.Likely
		}
	case "model_change":
		if text("provider") && text("modelId") && dialect.TextTime(v.GetStringBytes("timestamp")) != 0 {
			return dialect.Likely
		}
	case "agent_start", "turn_start":
		return dialect.Possible
	}
	return dialect.No
}

// timeOfHead reads the time of a head, which timeOf leaves out.
func timeOfHead(in *dialect.Input) int64 {
	return dialect.TextTime(in.JSON.GetStringBytes("timestamp"))
}

// matchMessage judges the message of a line.
func matchMessage(in *dialect.Input) dialect.Confidence {
	m := in.JSON.Get("message")
	timed := dialect.IsNumber(m.Get("timestamp"))
	switch string(m.GetStringBytes("role")) {
	case "assistant":
		if m.GetStringBytes("api") != nil && m.GetStringBytes("provider") != nil && dialect.IsArray(m.Get("content")) {
			return dialect.Certain
		}
	case "toolResult":
		if m.GetStringBytes("toolCallId") != nil && m.GetStringBytes("toolName") != nil {
			return dialect.Certain
		}
	case "user", "bashExecution":
		if timed {
			return dialect.Likely
		}
	}
	return dialect.No
}
