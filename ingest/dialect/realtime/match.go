package realtime

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one message. The Responses API has events with the same names; the events of this
// API have an event_id.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		if bytes.HasSuffix(bytes.TrimSuffix(h.Path, []byte("/")), []byte("/realtime")) {
			return dialect.Likely, string(h.Method) + " " + string(h.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if !dialect.IsObject(v) {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchClient(in)
	}
	typ, known := serverEvents[string(v.GetStringBytes("type"))]
	if !known || len(v.GetStringBytes("event_id")) == 0 {
		return dialect.No, ""
	}
	evidence := "the event " + typ.Name + " with an event_id"
	switch {
	case string(v.GetStringBytes("response", "object")) == "realtime.response",
		string(v.GetStringBytes("session", "object")) == "realtime.session",
		string(v.GetStringBytes("item", "object")) == "realtime.item",
		len(v.GetStringBytes("response_id")) > 0 && len(v.GetStringBytes("item_id")) > 0:
		return dialect.Certain, evidence
	case typ.Name == "error":
		return dialect.Possible, evidence
	}
	return dialect.Likely, evidence
}

// matchClient judges a message of a client.
func matchClient(in *dialect.Input) (dialect.Confidence, string) {
	v := in.JSON
	typ, known := clientEvents[string(v.GetStringBytes("type"))]
	if !known {
		return dialect.No, ""
	}
	evidence := "the event " + typ.Name
	switch typ.Name {
	case "input_audio_buffer.append":
		if v.GetStringBytes("audio") != nil {
			return dialect.Likely, evidence
		}
	case "session.update":
		if dialect.IsObject(v.Get("session")) {
			return dialect.Likely, evidence
		}
	case "conversation.item.create":
		if dialect.IsObject(v.Get("item")) {
			return dialect.Likely, evidence
		}
	case "response.create":
		if v.Get("input") != nil {
			return dialect.No, "" // the Responses API
		}
	}
	return dialect.Possible, evidence
}
