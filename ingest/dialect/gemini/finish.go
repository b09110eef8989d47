package gemini

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// refused has the finish reasons of responses without a complete answer. STOP, MAX_TOKENS and
// unknown reasons end an answer.
var refused = map[string]bool{
	"SAFETY": true, "RECITATION": true, "LANGUAGE": true, "BLOCKLIST": true, "PROHIBITED_CONTENT": true,
	"SPII": true, "OTHER": true, "MODEL_ARMOR": true,
	"MALFORMED_FUNCTION_CALL": true, "UNEXPECTED_TOOL_CALL": true, "TOO_MANY_TOOL_CALLS": true,
	"MALFORMED_RESPONSE": true, "MISSING_THOUGHT_SIGNATURE": true,
	"IMAGE_SAFETY": true, "IMAGE_PROHIBITED_CONTENT": true, "IMAGE_RECITATION": true, "IMAGE_OTHER": true,
	"NO_IMAGE": true,
}

// mayEnd ends the response once all candidates have finished.
func (d *decoder) mayEnd() {
	a := &d.answer
	for i := range a.candidates {
		if !a.candidates[i].done {
			return
		}
	}
	if len(a.candidates) > 0 && (!a.ended || a.more) {
		d.finish()
	}
}

// finish ends the response: with the status ok if one of its candidates has an answer.
func (d *decoder) finish() {
	a := &d.answer
	status, why := schema.StatusOK, []byte(nil)
	for i := range a.candidates {
		c := &a.candidates[i]
		d.stopText(c)
		if !isRefusal(c.reason) {
			status, why = schema.StatusOK, nil
			break
		}
		if status = schema.StatusError; why == nil {
			if why = c.why; why == nil {
				why = []byte(c.reason)
			}
		}
	}
	if a.run == nil {
		a.run, a.begun = d.Run(), true // an empty body was all that came
	}
	a.run.Attributes = a.reasons()
	d.Emitter.ChangedSpan(a.run, d.Frame) // it may not be the run that ends
	if status == schema.StatusError && !a.ended {
		d.Say(schema.MessageError, why)
	}
	d.end(status, why)
}

// end ends the run, also a run that had ended before more of it came.
func (d *decoder) end(status schema.Status, why []byte) {
	a := &d.answer
	d.EndRun(status, why)
	if a.more {
		d.Emitter.CloseSpan(a.run, status, d.Frame)
		d.Nest(nil)
	}
	a.ended, a.more = true, false
}

// reasons returns the run's attributes: the finish reasons of the candidates.
func (a *answer) reasons() string {
	var attrs dialect.Attributes
	var all dialect.List
	for i := range a.candidates {
		if reason := a.candidates[i].reason; reason != "" {
			if len(all) == 0 {
				attrs.AddText("stop_reason", reason)
			}
			all.AddText([]byte(reason))
		}
	}
	if len(a.candidates) > 1 {
		attrs.AddRaw("stop_reasons", all.JSON())
	}
	return attrs.Text()
}

// blocked ends the response to a prompt that the API blocked.
func (d *decoder) blocked(reason, text []byte) {
	d.answer.run.Attributes = dialect.TextAttribute("stop_reason", dialect.Short(reason))
	why := text
	if len(why) == 0 {
		why = append([]byte("the prompt was blocked: "), reason...)
	}
	d.resume()
	d.Say(schema.MessageError, why)
	d.end(schema.StatusError, why)
}

// failure reads an error: {"code","message","status"}, a text or any other JSON.
func (d *decoder) failure(v *fastjson.Value) {
	why := v.GetStringBytes("message")
	if why == nil && v.Type() == fastjson.TypeString {
		why = v.GetStringBytes()
	}
	if len(why) == 0 {
		why = v.MarshalTo(nil)
	}
	d.failed(why, why)
	var attrs dialect.Attributes
	if text := v.GetStringBytes("status"); len(text) > 0 {
		attrs.AddText("stop_reason", dialect.Short(text))
	}
	if code := v.GetInt("code"); code != 0 {
		attrs.AddRaw("code", strconv.AppendInt(nil, int64(code), 10))
	}
	d.answer.run.Attributes = attrs.Text()
}

// failed ends the run in an error with a message. A run of which only the error was seen has no
// start.
func (d *decoder) failed(text, why []byte) {
	if d.answer.ended {
		d.leave()
	}
	if d.Run() == nil {
		d.Model, d.Provider = "", provider
	}
	d.answer.run = d.RunAtEnd()
	d.Fail(text, why)
	d.answer.begun, d.answer.ended = true, true
}
