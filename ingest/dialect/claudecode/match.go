package claudecode

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one line. Types such as user, assistant, system and result are common: other
// members are the evidence.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.No, ""
	}
	v := in.JSON
	typ := v.GetStringBytes("type")
	kept := len(v.GetStringBytes("sessionId")) > 0 && v.Exists("isSidechain") // in the file of a conversation
	session := len(v.GetStringBytes("session_id")) > 0 || kept
	nested := v.Exists("parent_tool_use_id") || kept
	sure := dialect.No
	switch string(typ) {
	case "system":
		switch subtype := v.GetStringBytes("subtype"); {
		case string(subtype) == "init" && session && dialect.IsArray(v.Get("tools")) && describes(v):
			return dialect.Certain, "system/init with a session, its tools and settings"
		case len(subtype) > 0 && session:
			return dialect.Likely, "a system line with a session"
		}
	case "assistant", "user":
		role := v.GetStringBytes("message", "role")
		switch {
		case string(role) != string(typ):
		case nested && session:
			sure = dialect.Certain
		case nested || session:
			sure = dialect.Likely
		case in.Direction == schema.Send:
			sure = dialect.Possible
		}
	case "stream_event":
		if v.GetStringBytes("event", "type") != nil && (session || nested) {
			sure = dialect.Certain
		}
	case "result":
		if v.GetStringBytes("subtype") != nil && session && (v.Exists("num_turns") || v.Exists("total_cost_usd")) {
			sure = dialect.Certain
		}
	case "rate_limit_event":
		if v.Exists("rate_limit_info") {
			sure = dialect.Likely
		}
	case "control_request":
		if v.GetStringBytes("request", "subtype") != nil {
			sure = dialect.Likely
		}
	}
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the type " + string(typ)
}

// describes reports whether an init line has a member of Claude Code, or of a program that prints
// its lines, that the init lines of other agents do not have.
func describes(init *fastjson.Value) bool {
	return slices.ContainsFunc([]string{"mcp_servers", "permissionMode", "claude_code_version", "qwen_code_version"},
		func(name string) bool { return init.Exists(name) })
}
