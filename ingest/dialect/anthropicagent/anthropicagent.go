// Package anthropicagent reads the streams of the anthropic_agent library and of its successor
// agent_base: JSON envelopes, the older XML tags, and the raw form, which is events of the
// Messages API between such tags. docs/dialects/anthropic-agent.md describes how it reads them.
package anthropicagent

import (
	"bytes"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the stream of an anthropic_agent server. Its frames carry no times.
var Dialect = dialect.Dialect{Name: "anthropic-agent", Match: match, New: newDecoder}

// decoder reads one stream, which may have several connections one after the other.
type decoder struct {
	model.Stream
	agents   []*agent
	root     *agent // the connection's own agent: the first that it names
	speaker  *agent // the agent of frames that name none
	over     bool   // the run of root has ended
	since    int64  // when the part that is read now began to come, ns; 0 for this frame
	asked    request
	refusal  model.Refusal
	markup   markup
	payloads []payload
	room     []byte // buffer for texts with escapes
	tail     dialect.Tail
}

func newDecoder(string) dialect.Decoder { return &decoder{} }

// roomKept bounds the buffer that is kept between frames, bytes.
const roomKept = 2048

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	head, isHead := dialect.HeadOf(in)
	switch {
	case isHead:
		d.head(in, &head)
	case in.Direction == schema.Send:
		d.sent(in)
	case d.refusal.Refused() && len(in.Data) > 0:
		d.refused(in)
	default:
		d.received(in)
	}
	if cap(d.room) > roomKept {
		d.room = nil
	}
}

// received reads a frame from the server.
func (d *decoder) received(in *dialect.Input) {
	data := bytes.TrimSpace(in.Data)
	switch {
	case len(data) == 0 && !d.markup.inside():
	case string(data) == dialect.DoneMarker:
		in.Type = dialect.DoneMarker
		d.address()
		d.done()
	case in.JSON != nil && isEnvelope(in.JSON):
		d.leaveMarkup()
		if d.tail.Again(in.Data, d.working()) {
			// A connection has no identity, so that the frame is read although it repeats
			// another.
			d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
		}
		d.envelope(in)
	case in.JSON != nil && isException(in.JSON):
		d.leaveMarkup()
		in.Type = "error"
		d.exception(in.JSON)
	case bytes.HasPrefix(data, []byte("<meta_init data=")) && d.markup.name != "":
		d.leaveMarkup() // the previous connection was cut off
		d.cutConnection()
		d.feedMarkup(in)
	case d.markup.inside() || bytes.HasPrefix(data, []byte("<")):
		d.feedMarkup(in)
	case in.JSON != nil && d.rawEvent(in):
	case bytes.HasPrefix(data, []byte("Error: ")): // how old servers report an exception
		in.Type = "error"
		in.Flags &^= schema.FlagNotJSON
		d.crash(data[len("Error: "):], "")
		d.address()
		d.leaveConnection()
	default:
		in.Type = typeOf(in)
		d.address()
		d.Unknown()
	}
}

// working reports whether an agent has a run in progress.
func (d *decoder) working() bool {
	return slices.ContainsFunc(d.agents, func(a *agent) bool { return a.Run() != nil })
}

func typeOf(in *dialect.Input) string {
	if in.JSON == nil {
		return dialect.Intern([]byte(in.Event))
	}
	return dialect.Intern(in.JSON.GetStringBytes("type"))
}

// address fills in the envelope of a frame that names no agent.
func (d *decoder) address() {
	switch {
	case d.speaker != nil:
		d.speaker.Address()
	case d.root != nil:
		d.root.Address()
	default:
		d.Frame.Session = d.asked.session
	}
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.leaveMarkup()
	d.answerMissing()
	d.cutConnection()
	d.Done()
}
