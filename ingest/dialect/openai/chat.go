package openai

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// chat decodes one stream of chat completions: one response, several one after the other, or
// several concurrently.
type chat struct {
	exchange
	progress              // of the present response
	others   []parked     // other responses that chunks may continue
	id       dialect.Last // of the latest response
	single   bool         // the stream is one exchange, with one response
	key      []byte       // scratch: of a choice's texts
	typ      dialect.Last
	tail     dialect.Tail // of the responses that have ended
}

// progress is the state of a response.
type progress struct {
	choices  []choice
	usage    *dialect.Usage
	groqOnly bool   // the usage is in x_groq
	stop     string // the finish reason of choice 0, or of another that ended before it
	last     int64  // arrival of the latest chunk, ns
	mixed    bool   // it may have chunks of another response
	cost     []byte // the cost that the provider states, JSON
	final    uint64 // the hash of the latest chunk, once all choices have finished
}

func newChat(string) dialect.Decoder {
	d := &chat{}
	d.Init(d, "")
	d.Recognise = matchChat
	return d
}

// Types of frames that name none.
const (
	typeChunk   = "chat.completion.chunk"
	typeAnswer  = "chat.completion"
	typeText    = "text_completion" // the older API: chunks and whole answers
	typeTexts   = "text.completion" // the same at Together
	typeRequest = "request"
	typeError   = "error"
)

// Request implements model.API. The body of the request begins the response.
func (d *chat) Request(h *dialect.Head) { d.Foreign = !isChat(h) }

// Message implements model.API.
func (d *chat) Message(in *dialect.Input) string {
	switch {
	case string(in.Data) == dialect.DoneMarker:
		d.Frame.Type = dialect.DoneMarker
		d.done()
	case in.JSON == nil:
		d.Frame.Type = d.typ.Own([]byte(in.Event))
		if d.Refusal.Refused() && in.Direction == schema.Receive {
			d.Fail(in.Data, d.Refusal.Text())
		}
	case in.Direction == schema.Send:
		d.request(in)
	default:
		d.answer(in)
	}
	return in.Type
}

// Leave implements model.API. A response whose choices have all finished ends with its last
// chunk, also without an end marker.
func (d *chat) Leave() {
	d.EndRefused()
	d.leaveAll()
}

// leave settles the response in progress.
func (d *chat) leave() {
	switch {
	case d.Run() == nil:
	case d.finished():
		d.endAsOf(d.last)
	default:
		d.Abandon()
	}
}

// begin begins a response without a request.
func (d *chat) begin() {
	d.reset()
	d.OpenRun("")
	d.OpenCall()
}

// reset forgets the previous response.
func (d *chat) reset() {
	d.forget()
	d.usage, d.groqOnly, d.stop, d.mixed, d.cost = nil, false, "", false, nil
	d.final = 0
	d.ForgetModel()
}

// forget releases the state of a response that has ended.
func (d *chat) forget() {
	clear(d.choices)
	d.choices = d.choices[:0]
}

// done reads the end marker, which names no response. It ends the present one, unless only
// another one has finished.
func (d *chat) done() {
	if d.finished() || !d.othersOpen() {
		d.finishAll()
		return
	}
	for i := range d.others {
		if o := &d.others[i]; o.Run() != nil && o.finished() {
			d.swap(i)
			d.finishAll()
			return
		}
	}
	if d.Run() != nil {
		d.finishAll()
	}
}

// finishAll ends the response in progress, as no more of it will come.
func (d *chat) finishAll() {
	if d.Run() == nil {
		return
	}
	for i := range d.choices {
		d.finish(&d.choices[i], nil)
	}
	d.end()
}

// end ends the response with the status of its finish reason.
func (d *chat) end() {
	switch d.stop {
	case "error", "insufficient_system_resource", "network_error":
		d.EndRun(schema.StatusError, []byte(d.stop))
	default:
		d.EndRun(schema.StatusOK, nil)
	}
	d.forget()
}

// endAsOf ends the response at a time in the past, ns.
func (d *chat) endAsOf(at int64) {
	run, call := d.Run(), d.Call()
	d.end()
	run.Ended = at
	if call != nil {
		call.Ended = at
	}
}

// finished reports whether all choices so far have ended.
func (p *progress) finished() bool {
	for i := range p.choices {
		if !p.choices[i].finished {
			return false
		}
	}
	return len(p.choices) > 0
}

// textKey returns the key of a growing text of a choice. Kinds of messages distinguish its other
// texts.
func (d *chat) textKey(c *choice, what byte) []byte {
	d.key = append(d.key[:0], what)
	d.key = strconv.AppendInt(d.key, int64(c.index), 10)
	return d.key
}
