// Package langgraph reads the streams of LangGraph servers: the events of /runs/stream in all its
// modes, the requests and answers that a proxy records, and the events of the newer protocol.
// docs/dialects/langgraph.md describes how it reads them.
package langgraph

import (
	"cmp"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is LangGraph's streaming.
var Dialect = dialect.Dialect{Name: "langgraph", Match: match, Time: timeOf, Ends: ends, New: newDecoder}

// ends reports whether a frame is the last event of a run: end or error, and in the newer
// protocol the end of the graph itself.
func ends(in *dialect.Input) bool {
	if in.Type != "lifecycle" {
		return in.Type == "end" || in.Type == "error"
	}
	params := in.JSON.Get("params")
	if len(params.GetArray("namespace")) > 0 {
		return false
	}
	data := params.Get("data")
	if pair := data.GetArray(); len(pair) > 0 {
		data = pair[0]
	}
	switch string(data.GetStringBytes("event")) {
	case "completed", "interrupted", "cancelled", "canceled", "failed":
		return true
	}
	return false
}

// timeOf reads the time of a debug event, RFC 3339, or of an event of the newer protocol, ms.
// Other events have no time.
func timeOf(in *dialect.Input) int64 {
	if !dialect.IsObject(in.JSON) {
		return 0
	}
	if ms := in.JSON.GetUint64("params", "timestamp"); ms > 0 && ms < 1<<42 {
		return int64(ms) * 1e6
	}
	return dialect.TextTime(in.JSON.GetStringBytes("timestamp"))
}

// decoder reads one stream.
type decoder struct {
	model.Stream
	conv   model.Conversation
	thread string // the conversation; "" until it is named
	run    dialect.Last
	event  dialect.Last // the latest event's id
	inTask dialect.Last // the latest namespace's task

	request  request
	answers  []*answer
	nodes    []*node
	tasked   bool           // tasks or debug events show the nodes
	based    bool           // the first state of the run has been seen
	past     dialect.Recent // ids of recorded messages
	broken   bool           // the run waits for a person
	attrs    dialect.Attributes
	finished int64  // when a checkpoint stated that nothing is left to do, ns
	texts    []byte // buffer for a text of several parts
	thoughts []byte
	ids      []byte // buffer for an id
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.conv.Stream = &d.Stream
	return d
}

// roomKept bounds the buffer that is kept for texts, bytes.
const roomKept = 1024

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	run := d.conv.RunID
	if d.http(in) {
		in.Run = cmp.Or(in.Run, run)
		return
	}
	if in.JSON == nil || in.Direction == schema.Send {
		return
	}
	in.EventID = d.event.Own([]byte(in.ID))
	var method []byte
	if in.JSON.Type() == fastjson.TypeObject && in.JSON.Exists("params") { // a lookup in an array is slow
		method = in.JSON.GetStringBytes("method")
	}
	if method != nil {
		d.newer(in, method)
	} else {
		d.sse(in)
	}
	d.address()
	in.Run = cmp.Or(in.Run, run) // also on the frame that ends the run
	for _, room := range []*[]byte{&d.texts, &d.thoughts, &d.ids} {
		if cap(*room) > roomKept {
			*room = nil
		}
	}
}

// address sets the envelope from the conversation. Facts that began before the thread was named
// stay without it.
func (d *decoder) address() {
	e := &d.Frame.Envelope
	e.Session, e.Run, e.Agent = d.thread, d.conv.RunID, d.conv.Agent
}

// inRun returns the run in progress. It begins a run if there is none.
func (d *decoder) inRun() *dialect.Span {
	run := d.conv.Run()
	if run != nil {
		return run
	}
	d.conv.Session = d.thread
	if asked := d.request.asked; len(asked) > 0 {
		d.conv.Session = asked[0].Session // the answer's head may name the thread later
	}
	if d.conv.RunID != "" {
		run = d.conv.OpenRunAs("run:"+d.conv.RunID, "")
	} else {
		run = d.conv.OpenRun("")
	}
	d.request.begins(d, run)
	return run
}

// named begins the run with an id, or names the run in progress.
func (d *decoder) named(id []byte) {
	if len(id) == 0 {
		return
	}
	run := d.conv.Run()
	switch {
	case string(id) == d.conv.RunID && run != nil:
		return
	case run != nil && d.conv.RunID == "":
		d.conv.NameRun(d.run.Own(id))
		return
	case run != nil:
		d.abandon()
	}
	d.conv.RunID = d.run.Own(id)
	d.inRun()
}

// end ends the run. Calls that wait for a person stay waiting.
func (d *decoder) end(status schema.Status, why []byte) {
	run := d.conv.Run()
	if run == nil {
		at := d.request.at
		run = d.inRun()
		run.Started = at // 0 if only its end was seen
	}
	if d.broken {
		d.attrs.AddRaw("interrupted", []byte("true"))
		for _, tool := range d.conv.OpenTools() {
			d.conv.Wait(tool)
		}
	}
	run.Attributes = d.attrs.Text()
	for _, a := range d.answers {
		d.finish(a, status)
	}
	ofNodes := status
	if status == schema.StatusOK {
		ofNodes = schema.StatusUnclosed // a node that had ended would have had an end of its own
	}
	for _, n := range d.nodes {
		d.SettleSpan(n.span, ofNodes)
	}
	d.conv.EndRun(status, why)
	d.forget()
}

// abandon settles a run without an end.
func (d *decoder) abandon() {
	for _, a := range d.answers {
		d.finish(a, schema.StatusUnclosed)
	}
	for _, n := range d.nodes {
		d.SettleSpan(n.span, schema.StatusUnclosed)
	}
	d.conv.Abandon()
	d.forget()
}

func (d *decoder) forget() {
	d.answers, d.nodes, d.attrs, d.request = nil, nil, nil, request{}
	d.tasked, d.based, d.broken, d.finished = false, false, false, 0
	d.conv.RunID = ""
}

// End settles what is open. A run whose checkpoint stated that nothing was left to do ended then.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	if d.request.seen && d.conv.Run() == nil {
		d.inRun()
	}
	if run := d.conv.Run(); run != nil {
		switch ended, status := d.finished, d.request.status; {
		case ended != 0:
			d.end(schema.StatusOK, nil)
			run.Ended = ended
		case status >= 400:
			d.end(schema.StatusError, []byte("HTTP status "+strconv.Itoa(status)))
		default:
			d.abandon()
		}
	}
	d.Done()
}

// object returns a member that is an object, or nil.
func object(v *fastjson.Value, name string) *fastjson.Value {
	if member := v.Get(name); dialect.IsObject(member) {
		return member
	}
	return nil
}
