package loom

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/schema"
)

// run is a recorded run and its place on the tape.
type run struct {
	id      string // the server's id, or derived from the stream
	stream  string
	key     string // the session that all events of a run without an id share
	wrapped bool
	first   schema.Position // position of the first frame, or of the request
	last    schema.Position
	asked   int64  // time of the request, ns; the clock starts here
	changed uint64 // number of the last frame that changed the run
	stayed  bool   // the client used the same connection after the end of the run

	// These are fields of the request; empty if the request was not recorded.
	requested bool // the frame of the request was found
	heard     bool // the message of the request was found
	said      string
	thread    string

	reply string          // recorded reply, else the text of the last node
	text  strings.Builder // text of the last node
	node  uint64          // number of the first frame of the last node

	// The fields below describe a run that was recorded without an end.
	status schema.Status
	failed string // why it failed
	usage  [2][3]int64
	calls  int
}

// newRun returns the run of a span; nil for a request that was never answered.
func newRun(s *schema.StreamState, span *schema.Span) *run {
	r := &run{
		id: span.Run, stream: s.StreamID, wrapped: s.Transport == schema.WebSocket,
		first: schema.Position{At: span.SeenAt, StreamID: s.StreamID, Seq: span.SeenSeq},
		last:  schema.Position{At: span.Ended, StreamID: s.StreamID, Seq: span.Version - 1},
		asked: cmp.Or(span.Started, span.SeenAt), changed: span.Version - 1, status: span.Status, failed: span.Error,
	}
	unanswered := r.wrapped && r.id == "" && r.open()
	if unanswered || span.SeenSeq > replay.LastSeq(s) {
		return nil
	}
	return r
}

// open reports whether no end of the run was recorded.
func (r *run) open() bool { return !r.status.Ended() || r.status == schema.StatusUnclosed }

// bound sets the last frame of a run that was recorded without an end: the frame before the next
// run, which shows that this run was over, else the last frame of the stream.
func (r *run) bound(s *schema.StreamState, all []*run) {
	for _, o := range all {
		if o != r && o.first.Seq == r.changed && o.first.Seq > r.first.Seq {
			r.last = schema.Position{At: o.first.At, StreamID: r.stream, Seq: r.changed - 1}
			return
		}
	}
	if r.open() || r.changed > replay.LastSeq(s) {
		r.last = schema.Position{At: s.LastAt, StreamID: r.stream, Seq: replay.LastSeq(s)}
	}
}

// message adds a message of the run.
func (r *run) message(m *schema.Message) {
	switch {
	case m.Kind == schema.MessageUser && !r.heard:
		if r.heard = true; m.Media == "text" {
			r.said = m.Text
		}
	case m.Kind == schema.MessageReply:
		r.reply = m.Text
	case m.Kind == schema.MessageAssistant && m.SeenSeq >= r.node:
		r.text.WriteString(m.Text)
	}
}

var usageNames = [3]string{"prompt_tokens", "completion_tokens", "total_tokens"}

// use adds a usage of the run, in the form that the server reported.
func (r *run) use(raw string) {
	v, err := fastjson.Parse(raw)
	if err != nil {
		return
	}
	r.calls++
	for i, name := range usageNames {
		r.usage[0][i] = v.GetInt64(name)
		r.usage[1][i] += r.usage[0][i]
	}
}

// answered returns the reply of the run.
func (r *run) answered() string { return cmp.Or(r.reply, r.text.String()) }

// end returns the message that ends a run that was recorded without an end.
func (r *run) end() []byte {
	switch {
	case r.failed != "":
		return errorOf(r.id, r.failed)
	case r.status != schema.StatusOK:
		return errorOf(r.id, "the recording of this run breaks off here")
	}
	m := members{b: []byte("{")}
	m.text("type", "run_end")
	m.text("id", r.id)
	m.text("reply", r.answered())
	if r.calls > 0 {
		m.raw("usage", usageObject(r.usage[0]))
		m.raw("total_usage", usageObject(r.usage[1]))
	}
	return append(m.b, '}')
}

func usageObject(counts [3]int64) []byte {
	m := members{b: []byte("{")}
	for i, name := range usageNames {
		m.raw(name, strconv.AppendInt(nil, counts[i], 10))
	}
	return append(m.b, '}')
}

// textOf returns the text of a message: the message itself, or the texts of its parts.
func textOf(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return text(v)
	}
	var parts []string
	list := v.GetArray()
	if inner := v.GetArray("content"); inner != nil {
		list = inner
	}
	for _, p := range list {
		if s := text(p, "text"); s != "" {
			parts = append(parts, s)
		} else if p.Type() == fastjson.TypeString {
			parts = append(parts, text(p))
		}
	}
	return strings.Join(parts, "\n")
}
