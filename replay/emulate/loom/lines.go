package loom

import (
	"errors"
	"net/http"

	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
)

// Forms lists the forms in which ServeLines sends runs: the form of the specification,
// the single-key form, and the messages of a WebSocket.
var Forms = []string{"typed", "export", "websocket"}

// ServeLines answers with all runs as NDJSON, in one of the forms, at their recorded times. The
// single-key form omits the ends of runs and events for which it has no key.
func (s *Server) ServeLines(
	w http.ResponseWriter, r *http.Request, tenant, session, form string, t replay.Tape, pace emulate.Pacing,
) {
	b, from, err := s.open(r, tenant, session, t, pace)
	if err == nil && form != "typed" && form != "export" && form != "websocket" {
		err = problem.BadParameter("form", "there is no form "+form, Forms...)
	}
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	r, leave, err := s.stage.Enter(r, t)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	emulate.CrossOrigin(h, r)
	w.WriteHeader(http.StatusOK)
	body := s.stage.NewBody(w)
	err = body.Flush()
	clock := int64(0)
	for _, run := range b.runs {
		if run.last.At < from.Position.At {
			continue
		}
		if clock == 0 {
			clock = max(run.asked, from.Position.At)
		}
		out := &lines{body: body, form: form}
		out.run, out.to = run, out.line
		if err == nil {
			_, err = s.stage.Play(r.Context(), run.excerpt(t, from), out, clock, pace, false)
		}
		if err == nil {
			err = out.finish()
		}
		clock = max(clock, run.last.At) // keep the time between two runs
	}
	if err == nil {
		err = body.Close()
	}
	_, left := errors.AsType[*emulate.ClientError](err)
	switch {
	case err == nil:
		s.stage.Count(server, "ended")
	case left || r.Context().Err() != nil:
		s.stage.Count(server, "left")
	default:
		s.stage.Count(server, "failed")
		s.stage.Log().Error("emulate: playing runs failed", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// lines returns a run's messages as lines.
type lines struct {
	output
	body *emulate.Body
	form string
}

// Flush implements player.Sink.
func (l *lines) Flush() error { return l.body.Flush() }

// line writes a message of a WebSocket in the requested form.
func (l *lines) line(_ websocket.MessageType, message []byte) error {
	if l.form != "websocket" {
		var ok bool
		if message, ok = lineOf(message, l.form); !ok {
			return nil
		}
	}
	return l.body.Write(append(append([]byte(nil), message...), '\n'))
}

func lineOf(message []byte, form string) (line []byte, ok bool) {
	v, err := fastjson.ParseBytes(message)
	if err != nil {
		return nil, false
	}
	switch formOf(v) {
	case wrapped:
		if e := v.Get("event"); e != nil {
			line = emulate.AppendJSON(nil, e)
		}
	case runEnd:
		if form == "export" {
			return nil, false
		}
		return replyOf(v), true
	default:
		return message, form != "export"
	}
	if form == "export" && line != nil {
		line, err = ToExport(line)
	}
	return line, err == nil && line != nil
}
