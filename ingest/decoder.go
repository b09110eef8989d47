package ingest

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// decoder runs a dialect over a stream's frames, in order. It sets their envelopes and writes facts
// to the emitter, from which the segmenter takes them.
type decoder struct {
	streamID string
	emitter  *dialect.Emitter
	parser   Parser
	dialect  dialect.Dialect
	machine  dialect.Decoder    // nil while no dialect is set
	text     dialect.TextReader // the machine; nil if it needs every frame parsed
	answered bool               // the last decoded frame completed an answer
}

// newDecoder returns the decoder of a stream. depth is Settings.JSONDepth.
func newDecoder(streamID string, depth int) decoder {
	return decoder{streamID: streamID, emitter: dialect.NewEmitter(streamID), parser: Parser{Depth: depth}}
}

// use sets the dialect of the following frames.
func (d *decoder) use(as dialect.Dialect) {
	d.dialect, d.machine = as, as.New(d.streamID)
	d.text, _ = d.machine.(dialect.TextReader)
}

// decode decodes a frame. It derives no facts from a frame that is marked as a copy.
func (d *decoder) decode(f *schema.Frame) {
	if f.Flags.Has(schema.FlagCopied) {
		return
	}
	d.parser.parse(f, d.text != nil && d.text.ReadsText(), d.read)
}

func (d *decoder) read(in *dialect.Input) {
	d.emitter.Read(d.machine, in)
	d.answered = d.dialect.Answered(in, d.answered)
}

// lost returns the number of frames that are missing at the source before the last decoded frame,
// counted since the last call.
func (d *decoder) lost() uint64 { return d.emitter.TakeLost() }

// end closes open facts as of the time at which the stream ended (ns).
func (d *decoder) end(at int64) { d.machine.End(at, d.emitter) }
