package langgraph

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// callback reads an event of the mode "events": {event, name, run_id, metadata, data}. run_id is
// the id of the call and of its message.
func (d *decoder) callback(v *fastjson.Value, data []byte) {
	event, id, meta := v.GetStringBytes("event"), v.GetStringBytes("run_id"), v.Get("metadata")
	d.about(meta)
	switch string(event) {
	case "on_chat_model_start":
		if d.answer(id) == nil && !d.past.Has(id) {
			a := d.begin(id)
			a.ofCall = true
			a.exact = true
			d.made(a, meta)
		}
	case "on_chat_model_stream":
		if a := d.growing(id); a != nil {
			d.made(a, meta)
			_, m, raw := plain(v.Get("data", "chunk"), dialect.RawPath(data, "data.chunk"))
			d.note(bare(m.GetStringBytes("id"))) // the provider may use another id
			d.chunk(a, m, raw, callbacks)
		}
	case "on_chat_model_end":
		a := d.answer(id)
		if a == nil {
			return
		}
		_, m, raw := plain(v.Get("data", "output"), dialect.RawPath(data, "data.output"))
		d.describe(a, m)
		d.used(a, dialect.RawMember(raw, "usage_metadata"), true)
		d.note(bare(m.GetStringBytes("id")))
		a.said = d.Frame.At
		d.finish(a, schema.StatusOK)
	case "on_tool_end":
		k, m, _ := plain(v.Get("data", "output"), nil)
		if k == tool {
			d.inRun()
			d.result(m)
		}
	default:
		if !bytes.HasPrefix(event, []byte("on_")) {
			d.Unknown()
		}
	}
}
