package loom

import (
	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// output returns the messages of a run as a server sends them. It is a player.Sink.
type output struct {
	to     func(kind websocket.MessageType, message []byte) error
	run    *run
	parser fastjson.Parser
	pieces emulate.Pieces
	buf    []byte
	ended  bool // run_end or error was sent
	failed bool // the end was an error
}

// Play implements player.Sink.
func (o *output) Play(f *replay.Frame, _, to int) error {
	if to < len(f.Raw) {
		return nil
	}
	if f = o.pieces.Add(f); f == nil {
		return nil
	}
	var c schema.Content
	c, o.buf = schema.Unframe(&f.Frame, o.buf)
	v, err := o.parser.ParseBytes(c.Data)
	if c.Empty || err != nil || o.ended {
		return nil
	}
	switch kind := formOf(v); kind {
	case wrapped:
		if text(v, "id") == o.run.id {
			return o.send(c.Data, f.Flags.Has(schema.FlagBinary))
		}
	case runEnd, failure:
		if id := text(v, "id"); id == o.run.id || id == "" {
			o.ended, o.failed = true, kind == failure
			return o.send(c.Data, f.Flags.Has(schema.FlagBinary))
		}
	case typed:
		return o.send(Wrap(o.run.id, c.Data), false)
	case exported:
		event, err := fromExport(v)
		if err == nil {
			return o.send(Wrap(o.run.id, event), false)
		}
	case reply:
		return o.end(v)
	case bundle:
		return o.all(v)
	}
	return nil
}

// all sends a run that was recorded as one object.
func (o *output) all(v *fastjson.Value) error {
	for _, e := range v.GetArray("events") {
		event := emulate.AppendJSON(nil, e)
		if formOf(e) == exported {
			var err error
			if event, err = fromExport(e); err != nil {
				continue
			}
		}
		if err := o.send(Wrap(o.run.id, event), false); err != nil {
			return err
		}
	}
	r := v.Get("reply")
	switch {
	case r == nil:
		return nil
	case r.Type() == fastjson.TypeObject:
		return o.end(r)
	}
	o.ended = true
	m := members{b: []byte("{")}
	m.text("type", "run_end")
	m.text("id", o.run.id)
	m.add("reply", r)
	return o.send(append(m.b, '}'), false)
}

// end sends the end of the run that a reply line describes.
func (o *output) end(v *fastjson.Value) error {
	o.ended = true
	if text(v, "stop_reason") == "cancelled" {
		o.failed = true
		return o.send(errorOf(o.run.id, "run cancelled"), false)
	}
	return o.send(endOf(v, o.run.id), false)
}

// finish sends an end if the run was recorded without one.
func (o *output) finish() error {
	if o.ended {
		return nil
	}
	end := o.run.end()
	o.ended, o.failed = true, o.run.failed != "" || o.run.status != schema.StatusOK
	return o.send(end, false)
}

// Flush implements player.Sink. It does nothing, since every message is sent when it is written.
func (o *output) Flush() error { return nil }

func (o *output) send(message []byte, binary bool) error {
	kind := websocket.MessageText
	if binary {
		kind = websocket.MessageBinary
	}
	return o.to(kind, message)
}

// excerpt returns a run's part of the tape. One stream may contain runs of several sessions.
func (r *run) excerpt(t replay.Tape, from replay.Place) *emulate.Excerpt {
	return &emulate.Excerpt{
		Tape: t, First: r.first, Last: r.last, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool {
			return f.Stream.StreamID == r.stream && !f.Flags.Has(schema.FlagNote) && !from.Before(f.Position()) &&
				(r.key == "" || f.Session == "" || f.Session == r.key)
		},
	}
}
