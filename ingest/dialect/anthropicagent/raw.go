package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
)

// rawEvent reads an event of the Messages API, of which the raw form consists. It reports whether
// the frame is one.
func (d *decoder) rawEvent(in *dialect.Input) bool {
	switch string(in.JSON.GetStringBytes("type")) {
	case "message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta", "content_block_stop":
	case "error":
		if in.JSON.Get("error") == nil {
			return false
		}
	default:
		return false
	}
	in.Type = typeOf(in)
	a := d.present()
	if a.api == nil {
		a.api = anthropic.NewMessages(&a.Conversation)
		a.api.Agent = true
	}
	d.inRun(a)
	a.seal()
	a.work()
	if in.Type == "error" {
		a.api.Event(in.Data, in.JSON)
		why := []byte(dialect.RawMember(in.Data, "error"))
		a.failing, a.failedAt = dialect.Short(whyOf(why)), in.At
		a.ready = in.At
		a.Address()
		return true
	}
	a.failing, a.spokeAt = "", in.At
	if in.Type == "message_start" && !a.api.Open() && a.ready != 0 {
		a.api.Asked(a.ready)
		a.ready = 0
	}
	if !a.api.Event(in.Data, in.JSON) {
		d.Unknown()
	}
	a.Address()
	return true
}
