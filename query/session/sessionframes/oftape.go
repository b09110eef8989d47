package sessionframes

import (
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// OfFrame returns a frame of a stream as ReadOne returns it from the database. started is the session's
// start, ns. The result shares the bytes of the frame.
func OfFrame(stream *schema.StreamState, f *schema.Frame, started int64) WholeFrame {
	row := frameRow{
		Stream: stream.StreamID, Seq: f.Seq, At: f.At, Transport: f.Transport.String(), Raw: string(f.Raw),
		Direction: f.Direction.String(), Flags: uint32(f.Flags), Type: f.Type, Session: f.Session, Run: f.Run, Node: f.Node,
		Agent: f.Agent, Event: f.EventID,
	}
	whole := WholeFrame{Frame: row.frame(started), Raw: f.Raw, Cuts: make([]Cut, 0, len(f.Cuts))}
	whole.Dialect = stream.Dialect
	for _, cut := range f.Cuts {
		whole.Cuts = append(whole.Cuts, Cut{Bytes: cut.Offset, OffsetMS: query.Millis(cut.At - started)})
	}
	return whole
}

// DensityOf returns the density of a session in memory, of which positions has all frames in order, as
// ReadDensity returns it from the database. A frame outside the times of the session counts in the first or
// last slice.
func DensityOf(s *sessionstreams.Row, positions []schema.Position, slices int) *Density {
	d, width := newDensity(s, slices)
	for _, p := range positions {
		i := min(max((p.At-s.Started)/width, 0), int64(len(d.First)-1))
		if d.First[i] == nil {
			first := p.String()
			d.First[i] = &first
		}
		d.Frames[i]++
	}
	return d
}
