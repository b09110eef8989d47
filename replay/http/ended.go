package replayhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"tapedeck/replay"
	"tapedeck/replay/player"
)

// endSign is the suffix of the id of event: end. The prefix is the id of the last frame, if there
// was one.
const endSign = ".end"

// retry is a field of the first event: the time, ms, that an EventSource waits before it
// reconnects. Without it browsers wait 3 s or more.
const retry = "retry: 1000\n"

// cutEnd removes endSign from an id, and reports whether it was there.
func cutEnd(id string) (last string, ended bool) {
	if id == endID("") {
		return "", true
	}
	return strings.CutSuffix(id, endSign)
}

// endID returns the id of event: end after a frame, "" for none.
func endID(last string) string { return strings.TrimPrefix(last+endSign, ".") }

// over reports whether a client that received event: end has received everything: no frame follows
// so far, and with follow=1 no stream of the session is running.
func (req *request) over(ctx context.Context, t replay.Tape, o *player.Options) (bool, error) {
	if !req.ended || req.loop || req.follow && running(t) {
		return false, nil
	}
	r, err := t.Read(ctx, replay.Query{From: o.From, To: o.To, Filter: o.Filter, Few: true})
	if err != nil {
		return false, fmt.Errorf("look for what follows the end: %w", err)
	}
	defer r.Close()
	_, err = r.Next(ctx)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, replay.ErrLive):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("look for what follows the end: %w", err)
	}
	return false, nil
}

// noMore answers with 204 to a client that connects again after event: end. An EventSource would
// connect again after any other answer (WHATWG HTML, section 9.2.3).
func (s *Server) noMore(w http.ResponseWriter) {
	s.metrics.ended(outcomeEnded)
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusNoContent)
}
