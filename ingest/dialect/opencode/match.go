package opencode

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one line or event.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		for _, path := range [...]string{"/global/event", "/api/event"} {
			if string(h.Method) == "GET" && strings.HasSuffix(dialect.Alias(h.Path), path) {
				return dialect.Likely, "GET " + path
			}
		}
		return dialect.No, ""
	}
	if in.JSON == nil || in.Direction == schema.Send || in.Transport == schema.HTTP {
		return dialect.No, ""
	}
	v := in.JSON
	if event := unwrap(v); event != v {
		sure, why := matchEvent(event)
		if sure >= dialect.Likely && v.GetStringBytes("directory") != nil {
			return dialect.Certain, why + " of a directory"
		}
		return sure, why
	}
	if v.GetStringBytes("sessionID") != nil && dialect.IsNumber(v.Get("timestamp")) {
		return matchLine(v)
	}
	return matchEvent(v)
}

func matchLine(v *fastjson.Value) (dialect.Confidence, string) {
	typ := string(v.GetStringBytes("type"))
	switch typ {
	case "step_start", "step_finish", "text", "reasoning", "tool_use":
		if v.GetObject("part") != nil {
			return dialect.Certain, "a line " + typ + " with its part"
		}
	case "error", "done":
		return dialect.Likely, "a line " + typ + " with its sessionID"
	}
	return dialect.No, ""
}

func matchEvent(v *fastjson.Value) (dialect.Confidence, string) {
	typ := string(v.GetStringBytes("type"))
	if _, known := stepEvents[stepType(typ)]; known {
		if p, member := content(v); p.GetStringBytes("sessionID") != nil && isOfSteps(typ, member) {
			return dialect.Certain, "the event " + typ + " with its session"
		}
	}
	if v.GetObject("properties") == nil {
		return dialect.No, ""
	}
	why := "the event " + typ + " with its properties"
	switch typ {
	case "message.part.updated":
		if v.Exists("properties", "part") {
			return dialect.Certain, why
		}
	case "message.updated", "session.created", "session.updated":
		if v.Exists("properties", "info") {
			return dialect.Certain, why
		}
	case "message.part.delta", "session.idle", "session.status":
		if v.Exists("properties", "sessionID") {
			return dialect.Certain, why
		}
	case "server.connected", "server.heartbeat", "session.error", "session.diff",
		"permission.asked", "permission.updated", "permission.replied":
		return dialect.Likely, why
	}
	return dialect.No, ""
}
