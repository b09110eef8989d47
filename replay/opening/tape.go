package opening

import (
	"context"

	"tapedeck/replay"
)

// Before returns a tape whose readers from a place on begin with frames that were recorded before it.
func Before(t replay.Tape, from replay.Place, first []replay.Frame) replay.Tape {
	if len(first) == 0 {
		return t
	}
	o := opened{from, first}
	if g, is := t.(replay.Growing); is {
		return &growing{g, o}
	}
	return &tape{t, o}
}

// opened is a place, and the frames that precede it.
type opened struct {
	from  replay.Place
	first []replay.Frame
}

type tape struct {
	replay.Tape
	opened
}

// Read implements replay.Tape.
func (t *tape) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	return t.read(ctx, t.Tape, q)
}

type growing struct {
	replay.Growing
	opened
}

// Read implements replay.Tape.
func (t *growing) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	return t.read(ctx, t.Growing, q)
}

func (o *opened) read(ctx context.Context, t replay.Tape, q replay.Query) (replay.Reader, error) {
	r, err := t.Read(ctx, q)
	if err != nil || q.From != o.from {
		return r, err
	}
	return &reader{r, o.first}, nil
}

// reader returns its first frames before those of another reader.
type reader struct {
	replay.Reader
	first []replay.Frame
}

// Next implements replay.Reader.
func (r *reader) Next(ctx context.Context) ([]replay.Frame, error) {
	if len(r.first) > 0 {
		first := r.first
		r.first = nil
		return append([]replay.Frame(nil), first...), nil
	}
	return r.Reader.Next(ctx)
}
