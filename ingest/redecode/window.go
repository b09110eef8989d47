package redecode

import (
	"context"

	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// Bounds of a window of frames, which is what is in memory at a time: the range of its seqs, and
// its bytes unless a single frame has more.
const (
	windowFrames = 4096
	windowBytes  = 4 << 20
)

// stored is a frame as it is stored, without its envelope.
type stored struct {
	session string
	schema.Frame
}

// windows reads the stored frames of a stream, of all sessions, in order.
type windows struct {
	run    *run
	stream *stream
	next   uint64 // seq
	frames []stored
}

func (r *run) windows(s *stream) *windows { return &windows{run: r, stream: s} }

// read returns the next frames, none after the last one. The caller owns their bytes; the list is
// valid until the next read.
func (w *windows) read(ctx context.Context) ([]stored, error) {
	for w.next <= w.stream.upTo {
		to, found, err := w.reach(ctx)
		if err != nil {
			return nil, err
		}
		if found {
			err := w.span(ctx, to)
			w.next = to + 1
			return w.frames, err
		}
		// A session in between was deleted.
		if more, err := w.skip(ctx); err != nil || !more {
			return nil, err
		}
	}
	return nil, nil
}

// reach finds the last frame of the next window, if there is one within its range.
func (w *windows) reach(ctx context.Context) (to uint64, found bool, err error) {
	var count uint64
	to = min(w.next+windowFrames-1, w.stream.upTo)
	err = w.run.each(ctx, "the sizes of frames", "reach", w.params(map[string]any{"to": to, "budget": windowBytes}),
		func(row func(...any) error) error { return row(&count, &to) })
	return to, count > 0, err
}

// span reads the frames up to a seq.
func (w *windows) span(ctx context.Context, to uint64) error {
	w.frames = w.frames[:0]
	return w.run.each(ctx, "frames", "window", w.params(map[string]any{"to": to}), func(row func(...any) error) error {
		var f stored
		var direction, transport int8
		var flags uint32
		var cuts, raw string
		if err := row(&f.session, &f.Seq, &f.At, &direction, &transport, &flags, &cuts, &raw); err != nil {
			return err
		}
		f.Direction, f.Transport = schema.Direction(direction), schema.Transport(transport)
		f.Flags, f.Raw = schema.Flags(flags)&^decoded, []byte(raw)
		var err error
		if len(cuts) > 0 {
			f.Cuts, err = clickhouse.ParseCuts([]byte(cuts), f.At)
		}
		w.frames = append(w.frames, f)
		return err
	})
}

// decoded are the flags that decoding sets.
const decoded = schema.FlagNotJSON | schema.FlagTooDeep | schema.FlagUnknownType | schema.FlagEventGap | schema.FlagEventRepeat | schema.FlagEventBack |
	schema.FlagUnreadUsage

// skip moves to the next seq that has a frame.
func (w *windows) skip(ctx context.Context) (more bool, err error) {
	var count uint64
	err = w.run.each(ctx, "frames", "next", w.params(nil), func(row func(...any) error) error {
		return row(&w.next, &count)
	})
	return count > 0, err
}

// params returns the parameters of a query for the stream's frames from the next one on.
func (w *windows) params(more map[string]any) map[string]any {
	p := map[string]any{"sessions": w.stream.sessions, "stream": w.stream.id, "month": uint32(w.stream.month),
		"from": w.next}
	for name, value := range more {
		p[name] = value
	}
	return p
}
