// Package agui reads AG-UI, the protocol between agents and user interfaces.
// docs/dialects/ag-ui.md describes how it reads the protocol.
package agui

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is AG-UI as JSON events.
var Dialect = dialect.Dialect{
	Name: "ag-ui", Match: match,
	Time: timeOf, Ends: dialect.EndsWith("RUN_FINISHED", "RUN_ERROR"), New: newDecoder,
}

// Numbers below earliest or above latest, ms, are not read as times. Nanoseconds cannot hold
// times after latest.
const (
	earliest = 1e11
	latest   = 9e12
)

// timeOf reads an event's timestamp. It is in milliseconds in practice; the protocol does not
// define the unit.
func timeOf(in *dialect.Input) int64 {
	v := in.JSON.Get("timestamp")
	if !dialect.IsNumber(v) {
		return 0
	}
	ms := v.GetFloat64()
	if ms < earliest || ms > latest {
		return 0
	}
	whole := int64(ms)
	return whole*1e6 + int64((ms-float64(whole))*1e6)
}

// decoder is the state of one stream.
type decoder struct {
	model.Stream
	*level          // the level of the present run
	outer  []*level // the levels outside of it, the innermost last

	session, id, agent dialect.Last
	refusal            model.Refusal
	abandoned          []run // runs that did not end, the latest last
	late               *run  // the abandoned run that the present frame ended
	left               bool  // the present frame ended the run of its level
	history            history
	past               dialect.Recent // ids of the runs that ended
	seen               dialect.Recent // hashes of the latest events of the latest run
}

// Bounds: ids of runs that ended, and events at the end of a run that are recognised when they
// are delivered again.
const (
	pastLimit = 64
	seenLimit = 128
)

// level holds one run after the other. A run that begins inside of another run has a level of its
// own.
type level struct {
	model.Conversation
	run runState
}

// levelLimit bounds the levels.
const levelLimit = 8

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.level = d.newLevel()
	return d
}

func (d *decoder) newLevel() *level {
	return &level{Conversation: model.Conversation{Stream: &d.Stream}}
}

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	head, isHead := dialect.HeadOf(in)
	switch {
	case isHead:
		d.head(in, &head)
	case len(in.Data) == 0:
		return
	case in.Direction == schema.Send:
		d.request(in)
	case d.refusal.Refused():
		d.refused(in.Data)
	case in.JSON != nil:
		d.event(in)
	}
	d.Address()
	d.Node, d.Agent = "", ""
	if d.late != nil {
		in.Session, in.Run, d.late = d.late.span.Session, d.late.id, nil
	}
	if d.left {
		d.left = false
		d.pop()
	}
	in.EventID = in.ID
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	d.endHistory()
	for {
		d.abandonRun()
		if !d.pop() {
			return
		}
	}
}

// event reads an event.
func (d *decoder) event(in *dialect.Input) {
	typ, known := events.Of(in.JSON.GetStringBytes("type"))
	in.Type = typ.Name
	switch {
	case !known:
		if in.Type == "" {
			in.Type = in.Event
		}
		d.Unknown()
	case d.replayed(in):
	case d.repeated(in):
	case typ.Handle.read != nil:
		d.attribute(d.ownerOf(typ.Name, in.JSON))
		d.endChunks(typ.Name)
		typ.Handle.read(d, in)
	}
}

// repeated reports whether an event repeats an event of the run that ended last, byte for byte,
// before another run begins. At-least-once transports deliver the end of a stream twice.
func (d *decoder) repeated(in *dialect.Input) bool {
	hash := xxhash.Sum64(in.Data)
	switch {
	case in.Type == runStarted:
		d.seen.Clear()
	case d.Run() == nil && d.run.span != nil && d.seen.HasHash(hash):
		return true
	}
	d.seen.AddHash(hash, seenLimit)
	return false
}

// push begins a level inside of the present one.
func (d *decoder) push() {
	d.outer = append(d.outer, d.level)
	d.level = d.newLevel()
}

// pop returns to the level outside of the present one, if there is one.
func (d *decoder) pop() bool {
	n := len(d.outer) - 1
	if n < 0 {
		return false
	}
	d.level, d.outer = d.outer[n], d.outer[:n]
	return true
}
