package a2a

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// request is a message to an agent. Its facts wait for the answer, which names the task and the
// context: the run and the session.
type request struct {
	frame   schema.Frame
	message []byte
}

// methods are the methods of versions 0.3 and 1.0 and of earlier ones. True marks the methods
// that send a message.
var methods = dialect.NewTypes(map[string]bool{
	"message/send": true, "message/stream": true, "SendMessage": true, "SendStreamingMessage": true,
	"tasks/send": true, "tasks/sendSubscribe": true,

	"tasks/get": false, "tasks/list": false, "tasks/cancel": false, "tasks/resubscribe": false,
	"GetTask": false, "ListTasks": false, "CancelTask": false, "SubscribeToTask": false,
	"tasks/pushNotificationConfig/set": false, "tasks/pushNotificationConfig/get": false,
	"tasks/pushNotificationConfig/list": false, "tasks/pushNotificationConfig/delete": false,
	"CreateTaskPushNotificationConfig": false, "GetTaskPushNotificationConfig": false,
	"ListTaskPushNotificationConfigs": false, "DeleteTaskPushNotificationConfig": false,
	"agent/getAuthenticatedExtendedCard": false, "GetExtendedAgentCard": false,
})

// request reads a request over JSON-RPC and returns its type.
func (d *decoder) request(method []byte, params *fastjson.Value, raw []byte) string {
	typ, known := methods.Of(method)
	if !known {
		d.Unknown()
	}
	if !typ.Handle || !d.ask(params.Get("message"), dialect.RawMember(raw, "message")) {
		d.unanswered()
		d.other = true
	}
	return typ.Name
}

// ask reads a message to an agent and reports whether it is one.
func (d *decoder) ask(v *fastjson.Value, raw []byte) bool {
	if !dialect.IsArray(v.Get("parts")) {
		return false
	}
	d.unanswered()
	d.other, d.present = false, nil
	d.asked = &request{schema.Frame{Seq: d.Frame.Seq, At: d.Frame.At}, bytes.Clone(raw)}
	return true
}

// begin begins a task, with the message that it answers if that was seen.
func (d *decoder) begin(id, context []byte) *task {
	t := &task{Conversation: model.Conversation{Stream: &d.Stream, Session: d.session.Own(context)}}
	now := d.Frame
	if d.asked != nil {
		d.Frame = &d.asked.frame
	}
	t.RunID = d.run.Own(id)
	if t.RunID == "" {
		t.span = t.OpenRun("")
	} else {
		t.span = t.OpenRunAs("run:"+t.RunID, "")
	}
	if d.other {
		t.span.Started = 0 // it began before the first frame
	}
	d.Frame = now
	d.answers(t)
	d.tasks = append(d.tasks, t)
	if len(d.tasks) > taskLimit {
		d.tasks[0].leave()
		d.tasks = d.tasks[1:]
	}
	d.present = t
	return t
}

// answers records the message that a task answers, at the time when the message was sent.
func (d *decoder) answers(t *task) {
	if d.asked == nil {
		return
	}
	now, asked := d.Frame, d.asked
	d.asked, d.Frame = nil, &asked.frame
	if v, err := fastjson.ParseBytes(asked.message); err == nil {
		d.say(t, v, asked.message)
	}
	d.Frame = now
}

// unanswered settles a message that the agent did not answer.
func (d *decoder) unanswered() {
	if d.asked != nil {
		v, _ := fastjson.ParseBytes(d.asked.message)
		d.begin(v.GetStringBytes("taskId"), v.GetStringBytes("contextId")).leave()
	}
}

// failure reads a JSON-RPC error, or an error of the REST binding.
func (d *decoder) failure(v *fastjson.Value, raw []byte) {
	why := v.GetStringBytes("message")
	if len(why) == 0 {
		why = raw
	}
	var code []byte
	if dialect.IsNumber(v.Get("code")) {
		code = v.Get("code").MarshalTo(nil)
	}
	if t := d.failed(why, why); t != nil {
		t.errorCode = code
		t.note()
	}
	d.refusal.Answer(0)
}

// failed ends a request in an error. text is the message of the error, why the error of the run. It
// returns the task, or nil if the request began none.
func (d *decoder) failed(text, why []byte) *task {
	t := d.present
	switch {
	case d.asked != nil:
		v, _ := fastjson.ParseBytes(d.asked.message)
		t = d.begin(v.GetStringBytes("taskId"), v.GetStringBytes("contextId"))
	case t != nil && t.Run() != nil:
	case d.other || t != nil:
		return nil
	default:
		t = d.begin(nil, nil)
		t.span.Started = 0
	}
	if len(text) > 0 {
		t.Say(schema.MessageError, text)
	}
	t.EndRun(schema.StatusError, why)
	return t
}
