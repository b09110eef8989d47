package acp

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// match judges one message. JSON-RPC alone is no evidence: MCP, A2A and language servers use it, and
// MCP has "initialize" with a date as its version.
func match(in *dialect.Input) (dialect.Confidence, string) {
	v := in.JSON
	if !dialect.IsObject(v) || string(v.GetStringBytes("jsonrpc")) != "2.0" {
		return dialect.No, ""
	}
	if method := v.GetStringBytes("method"); len(method) > 0 {
		return matchMethod(string(method), v.Get("params"))
	}
	result := v.Get("result")
	switch {
	case dialect.IsNumber(result.Get("protocolVersion")) && (dialect.IsObject(result.Get("agentCapabilities")) || dialect.IsObject(result.Get("capabilities"))):
		return dialect.Certain, "a result with a number as its protocolVersion and capabilities"
	case result.GetStringBytes("stopReason") != nil:
		return dialect.Likely, "a result with its stopReason"
	case result.GetStringBytes("outcome", "outcome") != nil:
		return dialect.Likely, "a result with its outcome"
	case result.GetStringBytes("sessionId") != nil, result.GetStringBytes("terminalId") != nil:
		return dialect.Possible, "a result with an id of a session or a terminal"
	}
	return dialect.No, ""
}

func matchMethod(method string, params *fastjson.Value) (dialect.Confidence, string) {
	why, session := "the method "+method, params.GetStringBytes("sessionId") != nil
	certain := false
	switch method {
	case "initialize":
		certain = dialect.IsNumber(params.Get("protocolVersion"))
		if !certain {
			return dialect.No, ""
		}
	case "session/update":
		certain = session && params.GetStringBytes("update", "sessionUpdate") != nil
	case "session/prompt":
		certain = session && dialect.IsArray(params.Get("prompt"))
	case "session/new", "session/load", "session/resume":
		certain = params.GetStringBytes("cwd") != nil
	case "session/request_permission":
		certain = session && dialect.IsArray(params.Get("options"))
	case "session/cancel", "session/set_mode", "session/set_config_option", "terminal/create", "terminal/output",
		"terminal/wait_for_exit", "fs/read_text_file", "fs/write_text_file":
		if !session {
			return dialect.No, ""
		}
	default:
		return dialect.No, ""
	}
	if certain {
		return dialect.Certain, why
	}
	return dialect.Likely, why
}
