package vercelui

import (
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// approval reads that a call needs to be approved, or that it was or was not.
func (d *decoder) approval(k kind, in *dialect.Input) {
	v := in.JSON
	id := v.GetStringBytes("approvalId")
	if k == approvalAsked {
		call := v.GetStringBytes("toolCallId")
		if len(call) == 0 {
			return
		}
		if one := d.call(call, nil, false); one != nil {
			one.approval = strings.Clone(string(id))
			if !v.GetBool("isAutomatic") {
				d.await(one)
			}
		}
		return
	}
	for _, one := range d.calls.open {
		if len(id) > 0 && one.approval == string(id) {
			d.decide(one, v.GetBool("approved"), v.GetStringBytes("reason"))
			return
		}
	}
}

// await says that a call waits for an approval: it has not begun so far.
func (d *decoder) await(one *call) {
	if !one.asked {
		one.Attrs.AddTime("approval_at", d.Frame.At)
	}
	one.asked, one.waits = true, true
	one.Span.Started = 0
	d.talk.Wait(one.Tool)
	d.talk.Noted(one.Tool)
}

// decide reads the decision on a call. An approved call begins with it.
func (d *decoder) decide(one *call, approved bool, why []byte) {
	if !approved {
		d.endTool(one, schema.StatusRejected, why)
		return
	}
	if one.waits {
		one.waits = false
		d.talk.Start(one.Tool)
	}
}

// isCompozyEvent reports whether a value is one of Compozy's agent events,
// which stand in its data parts and in the outputs of its tools.
func isCompozyEvent(value []byte) bool {
	return dialect.RawMember(value, "type") != nil &&
		(dialect.RawMember(value, "turn_id") != nil || dialect.RawMember(value, "session_id") != nil)
}
