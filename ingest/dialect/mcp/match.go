package mcp

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// match judges one frame. JSON-RPC alone is no evidence: language servers, ACP, A2A and other
// protocols use it, and some have methods with the same names.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		return matchHead(&head)
	}
	v := in.JSON
	if v == nil {
		return dialect.No, ""
	}
	if v.Type() != fastjson.TypeArray {
		return matchMessage(v)
	}
	for _, one := range v.GetArray() {
		if sure, why := matchMessage(one); sure > dialect.No {
			return sure, why
		}
	}
	return dialect.No, ""
}

// matchHead judges the head of a request or an answer.
func matchHead(h *dialect.Head) (dialect.Confidence, string) {
	for _, field := range []string{sessionField, versionField, methodField} {
		if h.Field(field) != nil {
			return dialect.Certain, "the header " + field
		}
	}
	return dialect.No, ""
}

// matchMessage judges a JSON-RPC message.
func matchMessage(v *fastjson.Value) (dialect.Confidence, string) {
	if string(v.GetStringBytes("jsonrpc")) != "2.0" {
		return dialect.No, ""
	}
	if method := v.GetStringBytes("method"); len(method) > 0 {
		return matchMethod(method, v.Get("params"))
	}
	return matchResult(v.Get("result"))
}

// matchMethod judges a request or a notification. Parameters distinguish methods that other
// protocols may have as well.
func matchMethod(method []byte, params *fastjson.Value) (dialect.Confidence, string) {
	why := "the method " + string(method)
	certain := false
	switch string(method) {
	case "initialize":
		certain = isVersion(params.GetStringBytes("protocolVersion")) && dialect.IsObject(params.Get("clientInfo"))
		if !certain {
			return dialect.No, ""
		}
	case "tools/call":
		certain = len(params.GetStringBytes("name")) > 0
	case "notifications/progress":
		certain = params.Get("progressToken") != nil && params.Get("progress") != nil
	case "notifications/message":
		certain = params.GetStringBytes("level") != nil && params.Get("data") != nil
	case "notifications/initialized", "notifications/tools/list_changed", "notifications/resources/list_changed",
		"notifications/prompts/list_changed", "notifications/roots/list_changed", "resources/templates/list":
		certain = true
	case "sampling/createMessage":
		certain = dialect.IsArray(params.Get("messages"))
	case "ping", "tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update":
		return dialect.No, "" // many protocols have it
	default:
		if _, known := methods[string(method)]; !known {
			return dialect.No, ""
		}
	}
	if certain || isVersion(params.GetStringBytes("_meta", "io.modelcontextprotocol/protocolVersion")) {
		return dialect.Certain, why
	}
	return dialect.Likely, why
}

// isVersion reports whether a text is a version of the protocol, which is a date. ACP's version
// is a number.
func isVersion(text []byte) bool {
	return len(text) >= len("2024-11-05") && bytes.HasPrefix(text, []byte("20")) && text[4] == '-' && text[7] == '-'
}

// matchResult judges a response by its members.
func matchResult(v *fastjson.Value) (dialect.Confidence, string) {
	tool := v.Get("tools", "0")
	switch {
	case isVersion(v.GetStringBytes("protocolVersion")) && dialect.IsObject(v.Get("serverInfo")):
		return dialect.Certain, "a result with serverInfo and its protocolVersion"
	case dialect.IsObject(tool.Get("inputSchema")) && tool.GetStringBytes("name") != nil:
		return dialect.Certain, "a list of tools with their inputSchema"
	case isToolResult(v) && v.Get("isError") != nil, isToolResult(v) && isContent(v.Get("content", "0")):
		return dialect.Likely, "a result with content"
	case v.GetStringBytes("resources", "0", "uri") != nil, v.GetStringBytes("contents", "0", "uri") != nil:
		return dialect.Likely, "a result with resources"
	}
	return dialect.No, ""
}

// isContent reports whether a value is a content of the protocol.
func isContent(v *fastjson.Value) bool {
	switch string(v.GetStringBytes("type")) {
	case "text":
		return v.GetStringBytes("text") != nil
	case "image", "audio":
		return v.GetStringBytes("mimeType") != nil
	case "resource":
		return v.GetStringBytes("resource", "uri") != nil
	case "resource_link":
		return v.GetStringBytes("uri") != nil
	}
	return false
}
