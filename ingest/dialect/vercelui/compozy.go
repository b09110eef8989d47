package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
)

// data reads a data part. What those of an application mean is its own affair;
// of Compozy's it is known.
func (d *decoder) data(in *dialect.Input) {
	event := dialect.RawMember(in.Data, "data")
	run := d.talk.Run()
	if run == nil || event == nil || !bytes.HasPrefix(in.JSON.GetStringBytes("type"), []byte("data-compozy-")) {
		return
	}
	if raw := dialect.RawMember(event, "usage"); len(raw) > 0 && raw[0] == '{' {
		d.run.compozyUsage = bytes.Clone(raw)
	}
	if in.Type == "data-compozy-permission" {
		d.permission(event)
	}
}

// permission reads a request for an approval, or the decision on it.
func (d *decoder) permission(event []byte) {
	id, _ := dialect.Unquote(dialect.RawMember(event, "tool_call_id"), nil)
	tool := d.talk.OpenTool(id)
	if tool == nil {
		return
	}
	one := d.calls.of(tool)
	if one == nil {
		one = d.add(tool)
	}
	decision, _ := dialect.Unquote(dialect.RawMember(event, "decision"), nil)
	switch {
	case len(decision) == 0:
		if !one.waits {
			d.await(one)
		}
	case bytes.HasPrefix(decision, []byte("allow")):
		d.decide(one, true, nil)
	case bytes.HasPrefix(decision, []byte("reject")):
		one.denied = true // the result tells of it, and may say more
	}
}
