package dataset

import (
	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// recorder converts frames to blocks as a tap does, without waiting: the dialect decodes the
// frames, and a stream's segment of a session is one block.
type recorder struct {
	loom   dialect.Dialect
	block  block.Block
	frames []schema.Frame
	texts  [6]string // texts of the previous frame, which are mostly the same
}

func newRecorder() (*recorder, error) {
	d, err := dialects.ByName("loom")
	return &recorder{loom: d}, err
}

// record returns the block of a session's frames; later is the delay, ns, with which they
// arrived. The block is valid until the next call.
func (c *recorder) record(s *session, stream string, frames []schema.Frame, later int64) *block.Block {
	emitter := dialect.NewEmitter(stream)
	decoder := c.loom.New(stream)
	c.frames = append(c.frames[:0], frames...)
	state := schema.StreamState{
		StreamID: stream, Transport: schema.WebSocket, Dialect: c.loom.Name, Evidence: ingest.NamedByUser, Source: "benchmark",
		Tags: s.tags.Map(), Recorder: "benchmark", DecoderVersion: dialects.Version, Frames: uint64(len(frames)),
	}
	var in dialect.Input
	for i := range c.frames {
		f := &c.frames[i]
		f.At += later
		in = dialect.Input{Frame: f, Data: f.Raw, JSON: dialect.Valid}
		decoder.Decode(&in, emitter)
		c.copyTexts(&f.Envelope)
		state.Bytes += uint64(len(f.Raw))
		ingest.Count(&state.Counters, f.Flags, emitter.TakeLost())
	}
	last := &c.frames[len(c.frames)-1]
	state.FirstAt, state.LastAt, state.Ended, state.EndReason = c.frames[0].At, last.At, last.At, schema.EndEOF
	decoder.End(last.At, emitter)
	facts, _ := emitter.Take(0, true)
	for _, t := range emitter.TakeTitles() {
		if state.Title == "" {
			state.Title = t.Text
		}
	}
	state.Version = ingest.StateVersion(state, last.Seq)
	c.block = block.Block{Tenant: Tenant, Session: s.id, State: state, Frames: c.frames, Facts: facts}
	return &c.block
}

// copyTexts copies the texts of an envelope, which are valid until the decoder's next call.
func (c *recorder) copyTexts(e *schema.Envelope) {
	for i, text := range [...]*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
		if *text != c.texts[i] {
			c.texts[i] = string([]byte(*text))
		}
		*text = c.texts[i]
	}
}
