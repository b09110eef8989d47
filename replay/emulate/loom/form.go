package loom

import (
	"github.com/valyala/fastjson"
)

// form is the kind of a frame.
type form uint8

const (
	unknown  form = iota
	wrapped       // run_stream_event: an event of a run on a WebSocket
	runEnd        // run_end
	failure       // error
	answer        // an answer of the server to another request
	typed         // an event in the specification's form
	exported      // an event of the single-key form
	reply         // the reply line
	bundle        // a whole run in one object: {"events":[…],"reply":{…}}
)

// answers lists the types of server messages that belong to no run.
var answers = map[string]bool{
	"pong": true, "tools_list": true, "tool_show": true, "user_messages": true,
	"cancel_run": true, "cancel_run_ack": true,
	"agent_list": true, "list_models": true, "models_list": true, "set_model": true, "model_set": true, "workspace_list": true, "workspace_create": true,
	"workspace_thread_list": true, "workspace_thread_add": true, "workspace_thread_remove": true,
}

// formOf returns the kind of a message from the server.
func formOf(v *fastjson.Value) form {
	o, err := v.Object()
	if err != nil {
		return unknown
	}
	if kind := v.Get("type"); kind != nil {
		name := string(kind.GetStringBytes())
		switch {
		case name == "":
			return unknown
		case name == "run_stream_event":
			return wrapped
		case name == "run_end":
			return runEnd
		case name == "error" && v.Get("event_id") == nil:
			return failure
		case answers[name]:
			return answer
		}
		return typed
	}
	switch {
	case v.Get("reply") != nil && v.Get("events") == nil:
		return reply
	case v.Get("events") != nil:
		return bundle
	}
	// A key of the single-key form begins with a capital letter. The members beside it may be an
	// envelope.
	key := ""
	o.Visit(func(k []byte, _ *fastjson.Value) {
		if len(k) > 0 && k[0] >= 'A' && k[0] <= 'Z' && key == "" {
			key = string(k)
		}
	})
	if key != "" {
		return exported
	}
	return unknown
}

// text returns a string member, or "".
func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }
