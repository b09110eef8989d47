package codexrollout

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one line: each has a time, a type and a payload.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil || in.Direction == schema.Send || timeOf(in) == 0 {
		return dialect.No, ""
	}
	payload := in.JSON.Get("payload")
	if !dialect.IsObject(payload) {
		return dialect.No, ""
	}
	has := func(name string) bool { return payload.Exists(name) }
	typ := string(in.JSON.GetStringBytes("type"))
	sure := dialect.No
	switch typ {
	case "session_meta":
		if payload.GetStringBytes("id") != nil && (has("cli_version") || has("originator") || has("cwd")) {
			sure = dialect.Certain
		}
	case "turn_context":
		if has("model") && (has("cwd") || has("approval_policy") || has("sandbox_policy")) {
			sure = dialect.Certain
		}
	case "response_item", "event_msg":
		if payload.GetStringBytes("type") != nil {
			sure = dialect.Certain
		}
	case "token_usage_record":
		if has("usage") && has("response_id") {
			sure = dialect.Certain
		}
	case "compacted":
		sure = dialect.Likely
	}
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the line " + typ + " with its payload"
}
