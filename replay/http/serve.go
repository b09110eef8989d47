package replayhttp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"

	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// serveBody plays over SSE or NDJSON.
func (s *Server) serveBody(
	w http.ResponseWriter, r *http.Request, session string, t replay.Tape, req *request, opts player.Options,
) {
	b, err := newBody(w, r, contentType(req.transport), s.opts.WriteTimeout.Or(slow.WriteTimeout))
	if err != nil {
		s.metrics.ended(outcomeOf(err))
		return
	}
	out := &stream{
		body: b, transport: req.transport, raw: req.raw, chunks: opts.Reads,
		verbatim: req.raw && (req.transport == schema.NDJSON || recordedOver(t, req.transport)),
		events:   newEvents(session, replay.FirstAt(t)), resumed: req.resumeID, first: true,
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	still := func() {}
	if req.transport == schema.SSE && !out.verbatim {
		still = out.heartbeat(s.opts.Heartbeat, cancel)
	}
	sum, err := player.New(t, out, opts).Run(ctx)
	err = withClientGone(ctx, err)
	cancel(nil)
	still() // no writes after the handler has returned
	if err == nil {
		err = out.end(sum)
	}
	if err == nil {
		err = b.close()
	}
	s.metrics.frames.WithLabelValues(req.transport.String()).Add(float64(sum.Frames))
	s.metrics.bytes.Add(float64(b.sent))
	outcome := outcomeOf(err)
	s.metrics.ended(outcome)
	if outcome == outcomeFailed || outcome == outcomeSlow {
		out.fail(s.problemOf(err, session), sum)
	}
}

func contentType(t schema.Transport) string {
	if t == schema.NDJSON {
		return "application/x-ndjson"
	}
	return "text/event-stream"
}

// recordedOver reports whether a stream was, or may have been, recorded over the transport.
func recordedOver(t replay.Tape, transport schema.Transport) bool {
	return slices.ContainsFunc(t.Streams(), func(s schema.StreamState) bool {
		return s.Transport == transport || s.Transport == schema.HTTP
	})
}

// withClientGone converts an error caused by the end of ctx to an errClient.
func withClientGone(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if _, ok := errors.AsType[*errClient](err); ok {
		return err
	}
	if p, ok := errors.AsType[*problem.Problem](context.Cause(ctx)); ok {
		return p // the server ended the request
	}
	return &errClient{context.Cause(ctx)}
}

// outcomeOf returns the outcome of a playback that returned err.
func outcomeOf(err error) string {
	_, slow := errors.AsType[*player.LagError](err)
	_, client := errors.AsType[*errClient](err)
	switch {
	case err == nil:
		return outcomeEnded
	case slow:
		return outcomeSlow
	case !client:
		return outcomeFailed
	case errors.Is(err, os.ErrDeadlineExceeded):
		return outcomeStuck
	}
	return outcomeLeft
}
