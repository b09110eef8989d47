// Package dialectstest decodes streams for tests of code that reads facts.
package dialectstest

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Decode returns the facts that the dialect of a stream derives from its frames, and sets
// the frames' envelopes, except those that are set. A stream of another dialect has no
// facts.
func Decode(s *schema.StreamState, frames []schema.Frame) block.Facts {
	d, err := dialects.ByName(s.Dialect)
	if err != nil {
		return block.Facts{}
	}
	decoder, emitter := d.New(s.StreamID), dialect.NewEmitter(s.StreamID)
	var parser fastjson.Parser
	for i := range frames {
		f := frames[i]
		content, _ := schema.Unframe(&f, nil)
		in := dialect.Input{Frame: &f, Event: content.Event, ID: content.ID}
		if !content.Empty {
			in.Data = content.Data
		}
		if wellformed.JSON(in.Data) {
			in.JSON, _ = parser.ParseBytes(in.Data)
		}
		emitter.Read(decoder, &in)
		if frames[i].Envelope == (schema.Envelope{}) {
			e := &f.Envelope
			for _, text := range []*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
				*text = strings.Clone(*text)
			}
			frames[i].Envelope = f.Envelope
		}
	}
	if s.Ended != 0 {
		decoder.End(s.Ended, emitter)
	}
	facts, _ := emitter.Take(s.LastAt, true)
	return facts
}
