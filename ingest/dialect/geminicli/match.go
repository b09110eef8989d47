package geminicli

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// statuses are the statuses of a tool_result.
var statuses = []string{"success", "error", "cancelled"}

// match judges one line. Other dialects have the same types; every line of this one has a time as
// text.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil || in.Direction == schema.Send {
		return dialect.No, ""
	}
	v := in.JSON
	timed := v.GetStringBytes("timestamp") != nil
	text := func(names ...string) bool {
		for _, name := range names {
			if v.GetStringBytes(name) == nil {
				return false
			}
		}
		return true
	}
	sure := func(c dialect.Confidence, why string) (dialect.Confidence, string) {
		if !timed {
			c = min(c, dialect.Possible)
		}
		return c, why
	}
	switch string(v.GetStringBytes("type")) {
	case "init":
		if text("session_id", "model") {
			return sure(dialect.Certain, "an init with its session_id and model")
		}
	case "tool_use":
		if text("tool_name", "tool_id") && v.Exists("parameters") {
			return sure(dialect.Certain, "a tool_use with tool_id and parameters")
		}
	case "tool_result":
		if text("tool_id", "status") && slices.Contains(statuses, string(v.GetStringBytes("status"))) {
			return sure(dialect.Certain, "a tool_result with tool_id and status")
		}
		if text("tool_id", "status") {
			return sure(dialect.Likely, "a tool_result with tool_id and another status")
		}
	case "result":
		switch {
		case text("status") && v.Exists("stats", "total_tokens"):
			return sure(dialect.Certain, "a result with its stats")
		case text("status"):
			return sure(dialect.Likely, "a result with its status")
		}
	case "message":
		if text("role", "content") {
			return sure(dialect.Likely, "a message with its role and time")
		}
	case "error":
		if text("severity", "message") {
			return sure(dialect.Likely, "an error with its severity")
		}
	}
	return dialect.No, ""
}
