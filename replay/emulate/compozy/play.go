package compozy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// native reports whether a session was recorded from Compozy.
func native(t replay.Tape) bool {
	return slices.ContainsFunc(t.Streams(), func(s schema.StreamState) bool { return s.Dialect == dialect })
}

// over reports whether all streams of a session have ended.
func over(t replay.Tape) bool {
	return !slices.ContainsFunc(t.Streams(), func(s schema.StreamState) bool { return s.Ended == 0 })
}

// partOf returns the part of a session that belongs to an execution, or the whole session if exec
// is "". Frames without a run belong to every execution.
func partOf(t replay.Tape, exec string) *emulate.Excerpt {
	own := native(t)
	return &emulate.Excerpt{
		Tape: t, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool {
			if f.Flags.Has(schema.FlagNote) {
				return false // a recorded heartbeat would split a silence
			}
			return !own || f.Stream.Dialect == dialect && (exec == "" || f.Run == "" || f.Run == exec)
		},
	}
}

// runsOf lists the executions that a session recorded: from the facts or, on a tape
// without facts, from the frames' envelopes.
func runsOf(ctx context.Context, t replay.Tape) (map[string]bool, error) {
	runs := map[string]bool{}
	if !native(t) {
		return runs, nil
	}
	facts, err := t.Facts(ctx, replay.FactQuery{Spans: []schema.SpanKind{schema.SpanRun}})
	for _, f := range facts {
		for i := range f.Spans {
			runs[f.Spans[i].Run] = true
		}
	}
	if err != nil || len(facts) > 0 {
		return runs, err
	}
	return runs, emulate.Scan(ctx, t, replay.Query{}, func(f *replay.Frame) error {
		if f.Stream.Dialect == dialect && f.Run != "" && !runs[f.Run] {
			runs[strings.Clone(f.Run)] = true // the frame is valid only during the call
		}
		return nil
	})
}

// clock returns the recorded time at which the clock starts, ns: the time of the last event that
// the client received, or of the starting place in the request.
func (s *Server) clock(
	ctx context.Context, t replay.Tape, part *emulate.Excerpt, writer *eventWriter, a ask,
) (int64, error) {
	if !a.resume || a.after == 0 {
		from, err := s.stage.From(ctx, t, a.pacing)
		return max(from.Position.At, replay.FirstAt(t)), err
	}
	at := replay.LastAt(t) // for an unknown id the client counts as having received everything
	err := emulate.Scan(ctx, part, replay.Query{}, func(f *replay.Frame) error {
		for _, e := range writer.take(f) {
			if e.id >= a.after {
				at = f.At
				return emulate.ErrEnough
			}
		}
		return nil
	})
	return at, err
}

// output writes an execution. It is a player.Sink.
type output struct {
	body   *emulate.Body
	writer *eventWriter
	ask    ask
	clock  int64     // events before it were received earlier, or are not requested
	until  time.Time // the first event from then on is the last of the connection
}

// errLongest ends a connection that lasted longest.
var errLongest = errors.New("the connection has lasted its time")

// Play implements player.Sink.
func (o *output) Play(f *replay.Frame, _, to int) error {
	if to < len(f.Raw) {
		return nil
	}
	events := o.writer.take(f)
	if !o.ask.resume && f.At < o.clock {
		return nil
	}
	return o.send(events)
}

func (o *output) send(events []event) error {
	sent := false
	for _, e := range events {
		if o.ask.resume && e.id <= o.ask.after || len(o.ask.events) > 0 && !slices.Contains(o.ask.events, e.name) {
			continue
		}
		if err := o.body.Write(e.wire); err != nil {
			return err
		}
		sent = true
	}
	if err := o.body.Flush(); err != nil {
		return err
	}
	if sent && !time.Now().Before(o.until) {
		return errLongest
	}
	return nil
}

// Flush implements player.Sink.
func (o *output) Flush() error { return o.body.Flush() }

// beat sends heartbeats at intervals until ctx ends. It calls gone if the client has disconnected.
func (o *output) beat(ctx context.Context, every time.Duration, gone func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if o.body.Write([]byte(": ping\n\n")) != nil || o.body.Flush() != nil {
			gone()
			return
		}
	}
}
