package openai

import (
	"cmp"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// started reads the start of a response.
func (d *responses) started(response *fastjson.Value, first bool) {
	id := response.GetStringBytes("id")
	if d.Frame.Type == created {
		d.counted = nil
		d.begun.Note(id, begunLimit)
	}
	if d.Run() == nil || d.RunID != "" && d.isOther(response) {
		d.begin(d.id.Own(id), response, first && !d.view)
	}
	d.learn(response)
}

// begunLimit bounds the ids of responses that are kept.
const begunLimit = 64

// begin begins a run, which is one response: with its request if that was seen, otherwise at the
// present frame. The ids of its facts are made of the response's id, so that a stream in which the
// response is resumed has the same ids. Without an id they are this stream's. Without a request,
// and with first unset, its start was not seen, and the run has no start.
func (d *responses) begin(id string, response *fastjson.Value, first bool) {
	mixed := d.Frame.Type != created && d.begun.Has([]byte(id)) && !d.past.Has([]byte(id))
	d.Abandon()
	d.forget()
	from, now := d.waiting, d.Frame
	if from == nil {
		d.ForgetModel()
		d.Session = string(response.GetStringBytes("conversation", "id"))
	} else {
		d.Frame = &schema.Frame{Seq: from.seq, At: from.at}
		if d.Session == "" {
			d.Session = string(response.GetStringBytes("conversation", "id"))
		}
	}
	d.RunID = id
	if len(id) >= distinct {
		d.OpenRunAs("run:"+id, "")
		d.OpenCallAs("llm:" + id)
	} else {
		d.OpenRun("")
		d.OpenCall()
	}
	d.Frame, d.waiting = now, nil
	for _, s := range []*dialect.Span{d.Run(), d.Call()} {
		if from == nil && !first {
			s.Started = 0
		}
		d.Emitter.ChangedSpan(s, now)
	}
	d.NameRun(id)
	if mixed { // two responses are interleaved, and most events name neither
		d.attrs.AddRaw(schema.Inseparable, []byte("true"))
		d.Run().Attributes = d.attrs.Text()
	}
}

// forget releases the state of the previous response.
func (d *responses) forget() {
	clear(d.items)
	d.items, d.searched = d.items[:0], nil
	d.attrs = d.attrs[:0]
	d.over, d.failure = "", ""
}

// learn reads what a response states about itself.
func (d *responses) learn(response *fastjson.Value) {
	if id := response.GetStringBytes("id"); d.RunID == "" && len(id) > 0 {
		d.NameRun(d.id.Own(id))
	}
	d.CorrectModel(response.GetStringBytes("model"), "", d.Run(), d.Call())
	if before := response.GetStringBytes("previous_response_id"); len(before) > 0 && len(d.attrs) == 0 {
		d.note("previous_response_id", string(before))
	}
}

// note adds an attribute of the run.
func (d *responses) note(name, value string) {
	d.attrs.AddText(name, value)
	run := d.Run()
	run.Attributes = d.attrs.Text()
	d.Emitter.ChangedSpan(run, d.Frame)
}

// ended reads a response at its end. place is its path in the frame.
func (d *responses) ended(in *dialect.Input, response *fastjson.Value, place string, status schema.Status) {
	id := response.GetStringBytes("id")
	d.count.counting = false
	if d.Run() == nil && d.waiting == nil && (d.over != "" && string(id) == d.over || d.failure != "" && d.over == "") {
		d.used(in, response, place, nil) // its end was seen before
		return
	}
	if d.waiting == nil && string(id) != d.RunID && d.past.Has(id) {
		d.Frame.Flags |= schema.FlagEventRepeat
		if d.Run() == nil || d.RunID != "" {
			return // the end of an earlier response was seen before
		}
	}
	if d.Run() == nil || d.RunID != "" && d.isOther(response) {
		d.begin(d.id.Own(id), response, false)
	}
	d.learn(response)
	if isCompaction(response) {
		d.note("object", typeCompaction)
	} else {
		d.output(in, response, place)
	}
	d.used(in, response, place, d.Call())
	if reason := response.GetStringBytes("incomplete_details", "reason"); len(reason) > 0 {
		d.note("stop_reason", string(reason))
	}
	var why []byte
	if status == schema.StatusError {
		if why = errorOf(response); why != nil {
			d.sayError(why)
		}
	}
	d.finish(status, why)
}

// finish ends the run.
func (d *responses) finish(status schema.Status, why []byte) {
	d.EndRun(status, why)
	d.forget()
	d.over = d.RunID
	d.past.Add([]byte(d.RunID), begunLimit)
	if d.RunID != "" { // a request that was refused ends no other response
		d.settleLeft()
	}
	if status == schema.StatusError {
		d.failure = cmp.Or(dialect.Short(why), "failed")
	}
}

// sayError records an error of the response.
func (d *responses) sayError(why []byte) {
	if len(d.RunID) >= distinct {
		d.SayAs(schema.MessageError, "error:"+d.RunID, why)
		return
	}
	d.Say(schema.MessageError, why)
}

// error ends the run in an error. The failed response may follow, or nothing.
func (d *responses) error(why []byte) {
	if d.Run() == nil {
		if d.waiting == nil && d.failure != "" && d.failure == dialect.Short(why) {
			return // the response stated it
		}
		d.begin(d.viewed, nil, false)
	}
	d.sayError(why)
	d.finish(schema.StatusError, why)
	d.Refusal.Answer(0)
}

// used reads a response's usage.
func (d *responses) used(in *dialect.Input, response *fastjson.Value, place string, call *dialect.Span) {
	if u := response.Get("usage"); u == nil || u.Type() != fastjson.TypeObject {
		return
	}
	raw := in.Data
	if place != "" {
		raw = dialect.RawMember(raw, place)
	}
	raw = dialect.RawMember(raw, "usage")
	if d.of != d.RunID || d.RunID == "" {
		d.counted = nil // otherwise its end is repeated
	}
	d.Billing.MessageID = d.RunID
	d.Billing.ServiceTier = dialect.StatedText(response.GetStringBytes("service_tier"))
	d.counted = d.Count(d.counted, countingOf(&responsesCounting, raw), sharedID(d.RunID), call, raw)
	d.of = d.RunID
	if d.counted != nil && d.counted.Tools == (schema.ToolUses{}) {
		d.counted.Tools = toolsOf(response.GetArray("output"))
	}
}

// toolsOf counts the items of a response that are uses of OpenAI's tools. Opening a page and
// searching in it do not count as a web search.
func toolsOf(output []*fastjson.Value) (tools schema.ToolUses) {
	for _, item := range output {
		switch string(item.GetStringBytes("type")) {
		case "web_search_call":
			switch string(item.GetStringBytes("action", "type")) {
			case "", "search":
				tools.WebSearches++
			case "open_page":
				tools.WebFetches++
			}
		case "code_interpreter_call":
			tools.CodeExecutions++
		}
	}
	return tools
}

// whole reads a response that is not streamed: the answer to a request without a stream, or to a
// request for the state of a response.
func (d *responses) whole(in *dialect.Input, response *fastjson.Value) {
	status := schema.StatusOK
	switch string(response.GetStringBytes("status")) {
	case "failed":
		status = schema.StatusError
	case "cancelled":
		status = schema.StatusCancelled
	case "queued", "in_progress":
		if !d.view {
			d.started(response, true)
		}
		return
	}
	d.ended(in, response, "", status)
}
