package interactions

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Events have their type in event_type.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if creates, viewed := placeOf(&head); creates || len(viewed) > 0 {
			return dialect.Likely, string(head.Method) + " " + string(head.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	switch {
	case v == nil || v.Type() != fastjson.TypeObject:
		return dialect.No, ""
	case in.Direction == schema.Send:
		return matchRequest(v)
	case isInteraction(v):
		return dialect.Certain, "an interaction"
	}
	typ, known := events.Of(v.GetStringBytes("event_type"))
	if !known {
		return dialect.No, ""
	}
	indexed := dialect.IsNumber(v.Get("index"))
	certain, possible := false, false
	switch typ.Name {
	case "interaction.status_update":
		certain = v.GetStringBytes("interaction_id") != nil
	case "step.start":
		certain = indexed && v.GetStringBytes("step", "type") != nil
	case "content.start":
		certain = indexed && v.GetStringBytes("content", "type") != nil
	case "step.delta", "content.delta":
		certain = indexed && v.GetStringBytes("delta", "type") != nil
	case "step.stop", "content.stop":
		possible = indexed
	case typeError:
		possible = dialect.IsObject(v.Get("error"))
	default:
		certain = dialect.IsObject(v.Get("interaction"))
	}
	switch evidence := "the event " + typ.Name; {
	case certain:
		return dialect.Certain, evidence
	case possible:
		return dialect.Possible, evidence
	}
	return dialect.No, ""
}

// isInteraction reports whether a body is an interaction.
func isInteraction(v *fastjson.Value) bool {
	return string(v.GetStringBytes("object")) == "interaction" && v.GetStringBytes("status") != nil
}

// matchRequest judges a request's body by members that only this API has. Requests of other APIs
// also have a model and an input.
func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if v.Get("input") == nil {
		return dialect.No, ""
	}
	for _, name := range []string{"previous_interaction_id", "agent_config", "system_instruction", "generation_config"} {
		if v.Get(name) != nil {
			return dialect.Likely, "a request with input and " + name
		}
	}
	if string(v.GetStringBytes("input", "0", "type")) == "user_input" {
		return dialect.Likely, "a request with steps of user_input"
	}
	if bytes.HasPrefix(modelOf(v), []byte("gemini-")) {
		return dialect.Possible, "a request with input for a model of Gemini"
	}
	return dialect.No, ""
}
