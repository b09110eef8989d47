package pi

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// isInserted reports whether a message of the role assistant was written by OpenClaw itself, not by
// a model. The name of its model is then one of two; its provider is what OpenClaw was called at
// the time.
func isInserted(l *line) bool {
	if string(l.text("role")) != "assistant" {
		return false
	}
	name := string(l.text("model"))
	return name == "delivery-mirror" || name == "gateway-injected"
}

// inserted reads such a message. It is no answer: it begins and ends no run, and names no model.
func (d *decoder) inserted(l *line) {
	if text := dialect.RawWords(dialect.RawMember(l.raw, "content")); len(text) > 0 {
		d.tr.Say(schema.MessageSystem, text).Attributes = dialect.TextAttribute("inserted", string(l.text("model")))
	}
}
