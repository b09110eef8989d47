package anthropicagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// Server answers requests like an anthropic_agent server.
type Server struct {
	stage   *emulate.Stage
	indexes emulate.Cache[*index]
	takes   emulate.Takes
}

// New returns a server.
func New(s *emulate.Stage) *Server { return &Server{stage: s} }

const server = "anthropic_agent"

// Serves reports whether a path belongs to the protocol.
func Serves(path string) bool { return path == "/agent/run" || path == "/agent/tool_results" }

// Serve answers a request with the next recorded connection. If that connection broke off in the
// recording, Serve panics with http.ErrAbortHandler.
func (s *Server) Serve(
	w http.ResponseWriter, r *http.Request, tenant, session, path string, t replay.Tape, pacing emulate.Pacing,
) {
	c, from, err := s.choose(r, tenant, session, t, pacing)
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
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(nil, r.Body, 64<<20)) // the request's content is ignored
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	emulate.CrossOrigin(h, r)
	w.WriteHeader(http.StatusOK)
	out := &output{body: s.stage.NewBody(w), c: c}
	out.body.Merge = pacing.Speed == player.Max
	part := &emulate.Excerpt{
		Tape: t, First: c.first, Last: c.last,
		Keep: func(f *replay.Frame) bool {
			return c.has(f) && !from.Before(f.Position())
		},
	}
	err = out.begin()
	if err == nil {
		_, err = s.stage.Play(r.Context(), part, out, max(c.asked, from.Position.At), pacing, c.from == nil)
	}
	if err == nil {
		err = out.end()
	}
	_, left := errors.AsType[*emulate.ClientError](err)
	switch {
	case err == nil && (c.whole || c.abandoned):
		s.stage.Count(server, "ended")
		return
	case err == nil:
		s.stage.Count(server, "ended")
	case left || r.Context().Err() != nil:
		s.stage.Count(server, "left")
	default:
		s.stage.Count(server, "failed")
		s.stage.Log().Error("emulate: playing a connection failed", "error", err)
	}
	panic(http.ErrAbortHandler) // so that the client does not treat the body as complete
}

func (s *Server) choose(
	r *http.Request, tenant, session string, t replay.Tape, pacing emulate.Pacing,
) (*connection, replay.Place, error) {
	if err := s.stage.Origin(r); err != nil {
		return nil, replay.Place{}, err
	}
	from, err := s.stage.From(r.Context(), t, pacing)
	if err != nil {
		return nil, from, err
	}
	b, err := s.index(r.Context(), tenant, session, t)
	if err != nil {
		return nil, from, err
	}
	var list []*connection
	var ids []string
	for _, c := range b.list {
		if !from.Before(c.last) {
			list, ids = append(list, c), append(ids, c.first.String())
		}
	}
	i := s.takes.Choose(tenant, session, pacing.Take, ids, cmp.Or(pacing.End, emulate.Again))
	if i < 0 {
		return nil, from, &problem.Problem{
			Title: "Nothing left to play", Status: http.StatusConflict,
			Detail: fmt.Sprintf("All %d connections that session %q has recorded were played.", len(ids), session),
			Hint:   "Start another take with take=NAME, or play the first answer after the last: end=again.",
		}
	}
	return list[i], from, nil
}

// Speaks returns nil if a session can be played in the protocol of anthropic_agent, else a
// *problem.Problem.
func (s *Server) Speaks(ctx context.Context, tenant, session string, t replay.Tape) error {
	b, err := s.index(ctx, tenant, session, t)
	if err == nil && len(b.list) == 0 {
		err = &problem.Problem{
			Title: "No connections", Status: http.StatusConflict,
			Detail: fmt.Sprintf(
				"Session %q has no recorded connection to anthropic_agent, so there is nothing to answer requests with.",
				session,
			),
			Hint: "Play it with /v1/sessions/{id}/replay.",
		}
	}
	return err
}

func (s *Server) index(ctx context.Context, tenant, session string, t replay.Tape) (*index, error) {
	b, err := s.indexes.Get(ctx, tenant, session, t, read(session))
	if err == nil && b.refused != nil {
		return nil, b.refused
	}
	return b, err
}

// output writes a connection. It is a player.Sink.
type output struct {
	body    *emulate.Body
	c       *connection
	convert *converter // of a converted one
	parser  fastjson.Parser
	buf     []byte
	scratch []byte
}

func (o *output) begin() error {
	if o.c.from == nil {
		return o.body.Flush()
	}
	o.convert = newConverter(o.c.from.agent)
	return errors.Join(o.body.Write(o.convert.begin(nil, o.c.from)), o.body.Flush())
}

// Play implements player.Sink.
func (o *output) Play(f *replay.Frame, from, to int) error {
	if o.convert == nil && f.Transport == schema.SSE {
		return o.body.WriteRead(f, from, to)
	}
	if to < len(f.Raw) {
		return nil
	}
	var c schema.Content
	c, o.buf = schema.Unframe(&f.Frame, o.buf)
	if c.Empty {
		return nil
	}
	v, err := o.parser.ParseBytes(c.Data)
	o.scratch = o.scratch[:0]
	switch {
	case err != nil && o.convert == nil:
		o.scratch = emulate.AppendEvent(o.scratch, "", "", c.Data)
	case err != nil:
	case o.convert == nil:
		o.scratch = rechunk(o.scratch, v, c.Data)
	case f.Direction == schema.Send:
		o.scratch = o.convert.results(o.scratch, v)
	default:
		o.scratch = o.convert.event(o.scratch, v)
	}
	return o.body.Write(o.scratch)
}

// Flush implements player.Sink.
func (o *output) Flush() error { return o.body.Flush() }

// end writes the end of the answer.
func (o *output) end() error {
	var last []byte
	if o.convert != nil && o.c.whole {
		last = o.convert.end(nil)
	}
	if o.c.whole && !o.c.done {
		last = append(last, "data: "+doneMarker+"\n\n"...)
	}
	return errors.Join(o.body.Write(last), o.body.Close())
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }
