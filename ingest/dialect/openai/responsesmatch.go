package openai

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// place is the purpose of a request.
type place int

const (
	elsewhere  place = iota // another endpoint
	creating                // creates a response, or opens a WebSocket for it
	viewing                 // reads, resumes or cancels an existing response
	compacting              // replaces a conversation by a compaction, which is a call of the model
)

// placeOf returns the purpose of a request from its head: POST …/responses, POST
// …/responses/compact, or GET …/responses/{id} and POST …/responses/{id}/cancel, of any server. id
// is the existing response.
func placeOf(h *dialect.Head) (p place, id []byte) {
	path := bytes.TrimSuffix(h.Path, []byte("/"))
	if bytes.HasSuffix(path, []byte("/responses")) {
		return creating, nil
	}
	n := bytes.LastIndex(path, []byte("/responses/"))
	if n < 0 {
		return elsewhere, nil
	}
	id, rest, _ := bytes.Cut(path[n+len("/responses/"):], []byte("/"))
	if len(id) == 0 {
		return elsewhere, nil
	}
	if string(h.Method) == "POST" && string(id) == "compact" && len(rest) == 0 {
		return compacting, nil
	}
	if string(h.Method) == "GET" && len(rest) == 0 || string(h.Method) == "POST" && string(rest) == "cancel" {
		return viewing, id
	}
	return elsewhere, nil
}

// matchResponses judges one frame. The Realtime API has events with the same names, which have an
// event_id and no sequence_number.
func matchResponses(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		if p, _ := placeOf(&h); len(h.Method) > 0 && p != elsewhere {
			return dialect.Likely, string(h.Method) + " " + string(h.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if v == nil || v.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchResponsesRequest(v)
	}
	if string(v.GetStringBytes("object")) == "response" && dialect.IsArray(v.Get("output")) {
		return dialect.Certain, "a response"
	}
	if string(v.GetStringBytes("object")) == typeCompaction && (dialect.IsArray(v.Get("output")) || dialect.IsObject(v.Get("usage"))) {
		return dialect.Certain, "a " + typeCompaction
	}
	typ, known := events[string(v.GetStringBytes("type"))]
	if !known || v.Get("event_id") != nil {
		return dialect.No, ""
	}
	e, evidence := typ.Handle, "the event "+typ.Name
	numbered := dialect.IsNumber(v.Get("sequence_number"))
	switch {
	case e.kind == failure && numbered:
		return dialect.Likely, evidence + " with a sequence_number"
	case e.kind == failure:
		return dialect.Possible, evidence
	case e.kind == started || e.kind == ended:
		if string(v.GetStringBytes("response", "object")) == "response" {
			return dialect.Certain, evidence
		}
		return dialect.Possible, evidence
	case numbered:
		return dialect.Certain, evidence
	}
	return dialect.Likely, evidence
}

// matchResponsesRequest judges a message of a client. Requests for embeddings have an input and a
// model as well.
func matchResponsesRequest(v *fastjson.Value) (dialect.Confidence, string) {
	input := v.Get("input")
	if string(v.GetStringBytes("type")) == typeCreate {
		if input != nil && v.Get("response") == nil {
			return dialect.Likely, "a response.create with its input"
		}
		return dialect.No, ""
	}
	if input == nil || v.Get("model") == nil {
		return dialect.No, ""
	}
	if input.Get("0", "role") != nil || input.Get("0", "type") != nil {
		return dialect.Likely, "a request with a list of input items"
	}
	for _, name := range [...]string{"instructions", "previous_response_id", "conversation", "max_output_tokens", "stream"} {
		if v.Get(name) != nil {
			return dialect.Likely, "a request with input and " + name
		}
	}
	return dialect.Possible, "a request with input"
}
