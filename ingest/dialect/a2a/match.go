package a2a

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// versionField is the header field of version 1.0.
const versionField = "A2A-Version"

// match judges one frame. JSON-RPC alone is no evidence, nor are names such as task and message;
// their members are.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if head.Field(versionField) != nil {
			return dialect.Certain, "the header " + versionField
		}
		return dialect.No, ""
	}
	v := in.JSON
	if v == nil || v.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	rpc := string(v.GetStringBytes("jsonrpc")) == "2.0"
	if method := v.GetStringBytes("method"); rpc && len(method) > 0 {
		return matchMethod(method, v.Get("params"))
	}
	if in.Direction == schema.Send {
		switch message := v.Get("message"); {
		case !isMessage(message):
			return dialect.No, ""
		case isV1Role(message):
			return dialect.Likely, "a message with its role and parts"
		}
		return dialect.Possible, "a message with parts" // user interface protocols have such messages too
	}
	if rpc {
		v = v.Get("result")
	}
	return matchEvent(v)
}

// matchMethod judges a request.
func matchMethod(method []byte, params *fastjson.Value) (dialect.Confidence, string) {
	why := "the method " + string(method)
	sends, known := methods[string(method)]
	switch {
	case !known:
		return dialect.No, ""
	case isMessage(params.Get("message")):
		return dialect.Certain, why
	case sends.Handle, bytes.HasPrefix(method, []byte("tasks/pushNotificationConfig/")), string(method) == "tasks/resubscribe",
		string(method) == "SubscribeToTask":
		return dialect.Likely, why
	}
	return dialect.Possible, why // other protocols have tasks too
}

// matchEvent judges an object that an agent sends.
func matchEvent(v *fastjson.Value) (dialect.Confidence, string) {
	name, inside := kindOf(v)
	of := v
	if inside != nil {
		of = inside
	}
	stated := stateOf(of.GetStringBytes("status", "state")) != ""
	task := of.GetStringBytes("taskId") != nil
	v1 := bytes.HasPrefix(of.GetStringBytes("status", "state"), []byte("TASK_STATE_"))
	sure := dialect.Possible
	switch name {
	case typeTask:
		switch {
		case !stated || of.GetStringBytes("id") == nil:
			return dialect.No, ""
		case v1, string(of.GetStringBytes("kind")) == typeTask:
			sure = dialect.Certain
		case of.GetStringBytes("contextId") != nil:
			sure = dialect.Likely
		}
	case "status-update", "statusUpdate", "taskStatusUpdate":
		if task && stated {
			sure = dialect.Certain
		}
	case "artifact-update", "artifactUpdate", "taskArtifactUpdate":
		if task && dialect.IsArray(of.Get("artifact", "parts")) {
			sure = dialect.Certain
		}
	case "message":
		switch {
		case !isMessage(of):
			return dialect.No, ""
		case of.GetStringBytes("messageId") != nil && (string(of.GetStringBytes("kind")) == "message" || isV1Role(of)):
			sure = dialect.Certain
		}
	default:
		return dialect.No, ""
	}
	return sure, "a " + name
}

// isMessage reports whether a value is a message of the protocol.
func isMessage(v *fastjson.Value) bool {
	switch string(v.GetStringBytes("role")) {
	case "user", "agent", "ROLE_USER", "ROLE_AGENT":
		return dialect.IsArray(v.Get("parts"))
	}
	return false
}

func isV1Role(v *fastjson.Value) bool {
	return bytes.HasPrefix(v.GetStringBytes("role"), []byte("ROLE_"))
}
