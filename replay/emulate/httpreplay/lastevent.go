package httpreplay

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/schema"
)

// last reports whether a frame is the last event of an answer.
func (p *provider) last(f *replay.Frame) bool {
	return slices.Contains(p.ends, f.Type) || p.over != nil && p.over(f)
}

// messageOf returns the JSON message of a frame, nil if it has none.
func messageOf(f *replay.Frame) *fastjson.Value {
	c, _ := schema.Unframe(&f.Frame, nil)
	v, err := fastjson.ParseBytes(c.Data)
	if err != nil {
		return nil
	}
	return v
}

// overOllama reports whether a line of Ollama is the last of its answer.
func overOllama(f *replay.Frame) bool { return messageOf(f).GetBool("done") }

// overBedrock reports whether a message of an AWS event stream is an exception, which ends its
// answer.
func overBedrock(f *replay.Frame) bool {
	if f.Transport != schema.EventStream {
		return false
	}
	m, ok := schema.ParseEventMessage(f.Raw)
	kind := string(m.Header(":message-type"))
	return ok && (kind == "exception" || kind == "error")
}

// overA2A reports whether an event of A2A has a status in which the agent waits or has ended.
// Version 0.3 states the end in final, version 1.0 has the event in a member.
func overA2A(f *replay.Frame) bool {
	v := messageOf(f)
	if result := v.Get("result"); result != nil {
		v = result
	}
	for _, name := range []string{"statusUpdate", "taskStatusUpdate", "task"} {
		if inside := v.Get(name); inside != nil {
			v = inside
			break
		}
	}
	return v.GetBool("final") || slices.Contains(pauses, string(v.GetStringBytes("status", "state")))
}

// pauses lists the states of A2A, in versions 0.3 and 1.0, in which a task waits or has ended.
var pauses = []string{
	"input-required", "auth-required", "completed", "failed", "rejected", "canceled",
	"TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED",
	"TASK_STATE_REJECTED", "TASK_STATE_CANCELED", "TASK_STATE_CANCELLED",
}
