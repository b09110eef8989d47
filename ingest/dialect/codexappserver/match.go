package codexappserver

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// match judges one message. All of them lack the member jsonrpc, which other protocols of JSON-RPC
// require.
func match(in *dialect.Input) (dialect.Confidence, string) {
	v := in.JSON
	if !dialect.IsObject(v) || v.Exists("jsonrpc") {
		return dialect.No, ""
	}
	if method := v.GetStringBytes("method"); len(method) > 0 {
		return matchMethod(string(method), v.Get("params"))
	}
	result := v.Get("result")
	switch {
	case !v.Exists("id"):
	case result.GetStringBytes("thread", "id") != nil && result.GetStringBytes("modelProvider") != nil:
		return dialect.Certain, "a result with a thread and its modelProvider"
	case result.GetStringBytes("thread", "id") != nil:
		return dialect.Likely, "a result with a thread"
	case result.GetStringBytes("turn", "id") != nil && result.GetStringBytes("turn", "status") != nil:
		return dialect.Likely, "a result with a turn and its status"
	case result.GetStringBytes("userAgent") != nil:
		return dialect.Likely, "a result with a userAgent"
	}
	return dialect.No, ""
}

func matchMethod(method string, params *fastjson.Value) (dialect.Confidence, string) {
	why, thread := "the method "+method, params.GetStringBytes("threadId") != nil
	if _, known := methods[method]; !known {
		return dialect.No, ""
	}
	certain := false
	switch method {
	case "initialize":
		if params.GetStringBytes("clientInfo", "name") == nil || params.Exists("protocolVersion") || params.Exists("processId") {
			return dialect.No, ""
		}
		return dialect.Likely, "initialize with its clientInfo and without jsonrpc"
	case "turn/start", "turn/steer":
		certain = thread && dialect.IsArray(params.Get("input"))
	case "turn/started", "turn/completed":
		certain = thread && params.GetStringBytes("turn", "id") != nil
	case "item/started", "item/completed":
		certain = thread && params.GetStringBytes("item", "type") != nil
	case "thread/tokenUsage/updated":
		certain = thread && dialect.IsObject(params.Get("tokenUsage"))
	case "thread/started":
		certain = params.GetStringBytes("thread", "id") != nil
	case "account/rateLimits/updated":
		if !dialect.IsObject(params.Get("rateLimits", "primary")) {
			return dialect.Possible, why
		}
	case "error":
		if !thread {
			return dialect.No, ""
		}
	default:
		certain = thread && strings.HasPrefix(method, "item/") && params.GetStringBytes("itemId") != nil
		switch family, _, _ := strings.Cut(method, "/"); {
		case certain || thread || family == "thread" || family == "turn":
		case family == method:
			return dialect.No, "" // initialized, warning and others are words of many protocols
		default:
			return dialect.Possible, why
		}
	}
	if certain {
		return dialect.Certain, why
	}
	return dialect.Likely, why
}
