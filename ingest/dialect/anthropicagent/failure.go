package anthropicagent

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// failed reads an error of the Messages API. It ends the call of the model. It ends the run only if
// nothing follows, since the agent may try again.
func (d *decoder) failed(a *agent, text []byte) {
	why := text
	if isJSON(text) {
		why = whyOf(text)
	}
	d.spoke(a)
	a.say(why).Attributes = detailsOf(text)
	call := a.Call()
	a.closeCall(schema.StatusError)
	call.Error = dialect.Short(why)
	a.failing, a.failedAt = call.Error, d.Frame.At
	a.ready = d.Frame.At
}

// whyOf returns the type and message of an error, or the whole text.
func whyOf(text []byte) []byte {
	if inner := dialect.RawMember(text, "error"); len(inner) > 0 && inner[0] == '{' {
		text = inner
	}
	typ, message := dialect.RawText(text, "type"), dialect.RawText(text, "message")
	switch {
	case len(message) == 0:
		return text
	case len(typ) == 0 || string(typ) == "error":
		return message
	}
	return bytes.Join([][]byte{typ, message}, []byte(": "))
}

// detailsOf returns an error as attributes if it is JSON.
func detailsOf(text []byte) string {
	if !isJSON(text) || len(text) > citesLimit {
		return ""
	}
	return dialect.Attribute("error", text)
}

// exception reads the frame that a server sends when its agent fails. Nothing follows it.
func (d *decoder) exception(v *fastjson.Value) {
	why := v.GetStringBytes("error")
	if message := v.GetStringBytes("message"); len(message) > 0 {
		why = bytes.Join([][]byte{why, message}, []byte(": "))
	}
	attributes := ""
	if trace := v.GetStringBytes("traceback"); len(trace) > 0 {
		attributes = dialect.TextAttribute("traceback", dialect.Short(trace))
	}
	d.crash(why, attributes)
	d.address()
	d.leaveConnection() // nothing follows it, not even [DONE]
}

// crash ends the connection's run in an error and settles what else is open.
func (d *decoder) crash(why []byte, attributes string) {
	a := d.root
	if a == nil {
		a = d.agent(nil)
	}
	for _, sub := range d.agents {
		if sub != a {
			sub.abandon()
		}
	}
	if d.over && a.Run() == nil {
		a.say(why).Attributes = attributes // after the end of the run
		return
	}
	d.inRun(a)
	a.say(why).Attributes = attributes
	if call := a.Call(); call != nil {
		call.Error = dialect.Short(why)
		a.closeCall(schema.StatusError)
	}
	a.end(schema.StatusError, why)
	d.over = true
}

// rollback reads the notice that the model's last output was rejected, and the reason. The agent
// calls the model again.
func (d *decoder) rollback(a *agent, text []byte) bool {
	d.inRun(a)
	a.closeCall(schema.StatusOK)
	if collapse := dialect.RawMember(text, "collapse_previous_assistant"); collapse == nil || dialect.RawTrue(collapse) {
		for _, m := range a.draft {
			attrs := dialect.Attributes(m.Attributes)
			if len(attrs) > 0 {
				attrs = attrs[:len(attrs)-1]
			}
			attrs.AddRaw("rolled_back", []byte("true"))
			m.Attributes = attrs.Text()
			a.Emitter.ChangedMessage(m, a.Frame)
		}
	}
	var attrs dialect.Attributes
	attrs.AddRaw("rollback", []byte("true"))
	if code := dialect.RawMember(text, "code"); string(code) != "null" {
		attrs.AddRaw("code", code)
	}
	if details := dialect.RawMember(text, "details"); len(details) > len("{}") && len(details) <= citesLimit {
		attrs.AddRaw("details", details)
	}
	a.Say(schema.MessageSystem, dialect.RawText(text, "message")).Attributes = attrs.Text()
	a.cited, a.cites, a.ready = nil, nil, d.Frame.At
	a.draft = nil
	return true
}
