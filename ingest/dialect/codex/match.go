package codex

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one line.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil || in.Direction == schema.Send {
		return dialect.No, ""
	}
	v := in.JSON
	switch typ := v.GetStringBytes("type"); string(typ) {
	case "thread.started":
		if v.GetStringBytes("thread_id") != nil {
			return dialect.Certain, "thread.started with its thread_id"
		}
	case "turn.started":
		return dialect.Likely, "the event turn.started"
	case "turn.completed":
		if v.Exists("usage", "cached_input_tokens") {
			return dialect.Certain, "turn.completed with its usage"
		}
		return dialect.Possible, "the event turn.completed"
	case "turn.failed":
		if v.GetStringBytes("error", "message") != nil {
			return dialect.Likely, "turn.failed with its error"
		}
	case "item.started", "item.updated", "item.completed":
		kind := v.GetStringBytes("item", "type")
		switch {
		case kind == nil:
		case isItem(v.GetStringBytes("item", "id")):
			return dialect.Certain, "the event " + string(typ) + " of an item_N"
		default:
			return dialect.Likely, "the event " + string(typ) + " with its item"
		}
	case "error":
		if v.GetStringBytes("message") != nil {
			return dialect.Possible, "an error"
		}
	}
	return dialect.No, ""
}

// isItem reports whether an id is item_N. Ids of other agents have the same prefix.
func isItem(id []byte) bool {
	number, ok := bytes.CutPrefix(id, []byte("item_"))
	return ok && len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}
