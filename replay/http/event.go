package replayhttp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"tapedeck/internal/jsonstring"
	"tapedeck/internal/wellformed"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// events encodes frames as the messages of mode=event. It is used by one goroutine; results are
// valid until the next call.
type events struct {
	session []byte // the session's id in JSON
	firstAt int64
	stamp   stamp
	id      []byte
	message []byte
	joined  []byte // scratch of schema.Unframe
	compact bytes.Buffer
}

func newEvents(session string, firstAt int64) *events {
	return &events{session: jsonstring.Append(nil, session), firstAt: firstAt}
}

// encode returns the frame's id, from which a client resumes, and its message: a JSON object on one
// line. The id is the frame's position. It includes the block if the frame arrived live and its
// position does not determine the frames before it. A message that another follower of the session
// has encoded is taken from it.
func (e *events) encode(f *replay.Frame) (id, message []byte) {
	if id, message, ok := f.Encoding.Kept(e.firstAt, f.Block); ok {
		e.id = append(e.id[:0], id...)
		return e.id, message
	}
	e.id = strconv.AppendInt(e.id[:0], f.At, 10)
	e.id = append(append(append(e.id, '.'), f.Stream.StreamID...), '.')
	e.id = strconv.AppendUint(e.id, f.Seq, 10)

	b := append(e.message[:0], `{"position":"`...)
	b = append(b, e.id...)
	b = append(b, `","offset_ms":`...)
	b = appendMillis(b, f.At-e.firstAt)
	b = append(b, `,"captured_at":"`...)
	b = e.stamp.append(b, f.At)
	b = append(b, `","stream_id":"`...)
	b = append(b, f.Stream.StreamID...)
	b = append(b, `","seq":`...)
	b = strconv.AppendUint(b, f.Seq, 10)
	b = append(b, `,"direction":"`...)
	b = append(b, f.Direction.String()...)
	b = append(b, `","transport":"`...)
	b = append(b, f.Transport.String()...)
	b = append(b, `","dialect":`...)
	b = jsonstring.Append(b, f.Stream.Dialect)
	b = append(b, `,"type":`...)
	b = jsonstring.Append(b, f.Type)
	b = append(b, `,"session_id":`...)
	b = append(b, e.session...)
	b = append(b, `,"run_id":`...)
	b = jsonstring.Append(b, f.Run)
	b = append(b, `,"node_id":`...)
	b = jsonstring.Append(b, f.Node)
	b = append(b, `,"event_id":`...)
	b = jsonstring.Append(b, f.EventID)
	if f.Block != 0 {
		e.id = player.AppendResume(e.id[:0], e.id, f.Block)
		b = append(append(append(b, `,"resume":"`...), e.id...), '"')
	}
	if f.Flags != 0 {
		b = append(b, `,"flags":[`...)
		for i, name := range f.Flags.Names() {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsonstring.Append(b, name)
		}
		b = append(b, ']')
	}
	e.message = append(e.payload(b, &f.Frame), '}')
	f.Encoding.Keep(e.firstAt, f.Block, len(f.Raw), e.id, e.message)
	return e.id, e.message
}

// reached returns the id of the frame played last, "" before the first.
func (e *events) reached(sum player.Summary) string {
	switch {
	case sum.Last.IsZero():
		return ""
	case len(e.id) == 0: // the messages are not in tapedeck's format
		return sum.Last.String()
	}
	return string(e.id)
}

// payload appends the frame's content: unchanged JSON if it is on one line, else text, else Base64.
// For a frame without a message it appends the raw bytes, so that comments are readable.
func (e *events) payload(dst []byte, f *schema.Frame) []byte {
	var c schema.Content
	c, e.joined = schema.Unframe(f, e.joined)
	data := c.Data
	if c.Empty {
		data = f.Raw
	}
	switch {
	case !utf8.Valid(data) || f.Flags.Has(schema.FlagBinary):
		dst = append(dst, `,"base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, data)
		return append(dst, '"')
	case !c.Empty && f.Flags&(schema.FlagNotJSON|schema.FlagTooDeep) == 0 && wellformed.JSON(data):
		if line, ok := e.oneLine(data); ok {
			return append(append(dst, `,"frame":`...), line...)
		}
	}
	return jsonstring.Append(append(dst, `,"text":`...), string(data))
}

// oneLine returns valid JSON on one line: unchanged if possible, otherwise without white space.
func (e *events) oneLine(data []byte) ([]byte, bool) {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return data, true
	}
	e.compact.Reset()
	err := json.Compact(&e.compact, data)
	return e.compact.Bytes(), err == nil
}
