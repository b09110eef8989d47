package adk

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/gemini/content"
	"tapedeck/schema"
)

// isRun reports whether a request begins a run: POST /run_sse, or POST /run, whose answer is an
// array of events.
func isRun(h *dialect.Head) bool {
	path := bytes.TrimSuffix(h.Path, []byte("/"))
	return string(h.Method) == "POST" && (bytes.HasSuffix(path, []byte("/run_sse")) || bytes.HasSuffix(path, []byte("/run")))
}

// head reads the head of a request, which begins a run, or of its answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status != 0 {
		d.refusal.Answer(h.Status)
		return
	}
	d.leave()
	d.refusal.Answer(0)
	d.forget()
	if d.foreign = !isRun(h); !d.foreign {
		d.waits()
	}
}

// forget releases the state of the previous request.
func (d *decoder) forget() {
	d.tr.ForgetModel()
	d.tr.Session, d.tr.Agent, d.asked, d.whole, d.usage = "", "", false, false, nil
}

// waits records when a request began. Its run is recorded once the body names the session.
func (d *decoder) waits() { d.waiting = &schema.Frame{Seq: d.Frame.Seq, At: d.Frame.At} }

// asks begins the run of a waiting request. An event names the run later.
func (d *decoder) asks() {
	if d.waiting == nil {
		return
	}
	now := d.Frame
	d.Frame = d.waiting
	run := d.tr.OpenRun("")
	d.Frame, d.waiting, d.asked = now, nil, true
	d.Emitter.ChangedSpan(run, now)
}

// leave settles a run of which no more frames will come.
func (d *decoder) leave() {
	d.asks()
	if d.tr.Run() != nil && d.refusal.Refused() {
		d.tr.EndRun(schema.StatusError, d.refusal.Text())
	}
	d.finish()
}

// member returns a member of a request, in camel case or in snake case.
func member(v *fastjson.Value, camel, snake string) []byte { return dialect.FirstText(v, camel, snake) }

// newMessage returns the new message of a request.
func newMessage(v *fastjson.Value) *fastjson.Value {
	if m := v.Get("newMessage"); m != nil {
		return m
	}
	return v.Get("new_message")
}

// request reads the body of a request: {"appName","userId","sessionId","newMessage"}.
func (d *decoder) request(in *dialect.Input) {
	in.Type = "request"
	v := in.JSON
	session := member(v, "sessionId", "session_id")
	if session == nil {
		d.Unknown()
		return
	}
	if d.waiting == nil { // no head was recorded
		d.leave()
		d.forget()
		d.waits()
	}
	d.tr.Session = string(session)
	d.asks()
	run := d.tr.Run()
	var attrs dialect.Attributes
	if app := member(v, "appName", "app_name"); app != nil {
		attrs.AddText("app", string(app))
	}
	run.Attributes = attrs.Text()
	d.Emitter.ChangedSpan(run, d.Frame)
	if asked := newMessage(v); dialect.IsObject(asked) {
		raw := dialect.RawMember(in.Data, "newMessage")
		if raw == nil {
			raw = dialect.RawMember(in.Data, "new_message")
		}
		content.Ask(&d.tr, asked, raw)
	}
}

// refused reads the body of an error answer: the server's {"detail"}, or the page of a gateway.
func (d *decoder) refused(in *dialect.Input) {
	in.Type = "error"
	d.asks()
	why := in.Data
	if in.JSON != nil {
		if detail := dialect.FirstText(in.JSON, "detail", "error"); detail != nil {
			why = detail
		}
	}
	d.fail(why)
	d.refusal.Answer(0)
}
