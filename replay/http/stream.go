package replayhttp

import (
	"cmp"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// stream sends a playback as a response body, SSE or NDJSON. It is a player.Sink.
type stream struct {
	*body
	transport schema.Transport // SSE or NDJSON
	raw       bool
	verbatim  bool // the body consists of the recorded bytes, so nothing may be added
	chunks    bool // every recorded read is sent in its own write
	events    *events
	resumed   string // id after which the client resumes, "" for none
	first     bool   // only heartbeats were sent so far
	payloads  payloads
	// lastStream, lastDirection and the fields below describe the recorded bytes that were written
	// last.
	lastStream    string
	lastOpen      bool // these bytes belong to a body and do not end with a line break
	lastDirection schema.Direction
	lastAt        int64
}

// Play implements player.Sink.
func (s *stream) Play(f *replay.Frame, from, to int) error {
	// NDJSON has no framing of its own, so bodies are written into it unchanged.
	if s.raw && (f.Transport == s.transport || s.transport == schema.NDJSON && isBody(f.Transport)) {
		return s.playRaw(f, from, to)
	}
	if to < len(f.Raw) {
		return nil // converted frames are sent when they are complete
	}
	apart := s.apart(f)
	return s.append(func(b []byte) []byte {
		switch {
		case s.raw && s.transport == schema.SSE:
			return s.payloads.appendSSE(b, f)
		case s.raw:
			return s.payloads.appendNDJSON(append(b, apart...), f)
		}
		id, message := s.events.encode(f)
		if s.transport == schema.NDJSON {
			return append(append(b, message...), '\n')
		}
		return s.appendEvent(b, id, f.Type, "", message)
	})
}

// isBody reports whether frames of a transport are pieces of a body that need not be text.
func isBody(t schema.Transport) bool { return t == schema.HTTP || t == schema.EventStream }

// playRaw writes recorded bytes, in a separate write from the previous bytes unless both arrived in
// the same read.
func (s *stream) playRaw(f *replay.Frame, from, to int) error {
	if s.chunks && !s.sameRead(f, from) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	apart := s.apart(f)
	s.lastStream, s.lastDirection, s.lastAt = f.Stream.StreamID, f.Direction, f.At
	s.lastOpen = f.Transport == schema.HTTP && to > 0 && f.Raw[to-1] != '\n'
	return s.append(func(b []byte) []byte { return append(append(b, apart...), f.Raw[from:to]...) })
}

// apart returns the separator between the bytes written last and a frame: a line feed between a
// body without a final line break and a frame of another stream.
func (s *stream) apart(f *replay.Frame) string {
	if !s.lastOpen || s.lastStream == f.Stream.StreamID && s.lastDirection == f.Direction &&
		f.Transport == schema.HTTP {
		return ""
	}
	s.lastOpen = false
	return "\n"
}

// sameRead reports whether the bytes from the offset on arrived in the same read as the bytes
// written last.
func (s *stream) sameRead(f *replay.Frame, from int) bool {
	if from > 0 || s.lastStream != f.Stream.StreamID || s.lastDirection != f.Direction {
		return false
	}
	if len(f.Cuts) > 0 { // the frame began in the read in which the previous frame ended
		return f.Cuts[0].At == s.lastAt
	}
	return f.Flags.Has(schema.FlagJoined)
}

// Flush implements player.Sink.
func (s *stream) Flush() error { return s.flush() }

// end writes event: end.
func (s *stream) end(sum player.Summary) error {
	if !s.verbatim {
		fields := ""
		if !s.raw {
			fields = "id: " + endID(cmp.Or(s.events.reached(sum), s.resumed)) + "\n"
		}
		s.appendMessage("end", fields, appendEnd(nil, sum))
	}
	return s.flush()
}

// fail reports that the playback broke off. In a verbatim body, where the message would look like
// recorded data, it closes the connection in the middle of the body instead, so that the client
// does not treat the body as complete.
func (s *stream) fail(p *problem.Problem, sum player.Summary) {
	if !s.verbatim {
		s.appendMessage("error", "", appendBroken(nil, p, s.events.reached(sum)))
	}
	// The playback has failed already, so a second error is ignored.
	_ = s.flush()
	if s.verbatim {
		panic(http.ErrAbortHandler)
	}
}

func (s *stream) appendMessage(event, fields string, message []byte) {
	// flush returns the error, if there is one.
	_ = s.append(func(b []byte) []byte {
		if s.transport == schema.SSE {
			return s.appendEvent(b, nil, event, fields, message)
		}
		return append(append(b, message...), '\n')
	})
}

// appendEvent appends one SSE event of mode=event, or the end.
func (s *stream) appendEvent(dst, id []byte, name, fields string, data []byte) []byte {
	if s.first && !s.raw {
		fields += retry
	}
	s.first = false
	return appendEvent(dst, id, name, fields, data)
}

// appendEvent appends one SSE event. A name is cut at its first line break;
// fields are further fields, as lines.
func appendEvent(dst, id []byte, name, fields string, data []byte) []byte {
	if len(id) > 0 {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	if name != "" {
		dst = append(dst, "event: "...)
		for i := range len(name) {
			if c := name[i]; c != '\r' && c != '\n' {
				dst = append(dst, c)
			}
		}
		dst = append(dst, '\n')
	}
	dst = append(append(append(dst, fields...), "data: "...), data...)
	return append(dst, "\n\n"...)
}
