package tapeexport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
)

// Handler serves GET /v1/sessions/{id}/tape.
type Handler struct {
	source  *Source
	timeout *slow.Timeout // of one write
	log     *slog.Logger
}

// NewHandler returns a handler. timeout is how long a client may take to accept one write, nil for
// the default. log may be nil.
func NewHandler(s *Source, timeout *slow.Timeout, log *slog.Logger) *Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Handler{source: s, timeout: timeout, log: log}
}

// Tape sends a session as a tape file. If it fails after the first byte, it panics with
// http.ErrAbortHandler, so that the client detects the truncation.
func (h *Handler) Tape(w http.ResponseWriter, r *http.Request, tenant, session string) {
	s, err := h.source.Find(r.Context(), tenant, session)
	if errors.Is(err, replay.ErrNoSession) {
		p := problem.NotFound(fmt.Sprintf("There is no session %q.", session))
		p.Hint = "GET /v1/sessions lists the sessions there are."
		problem.Write(w, p)
		return
	}
	if err != nil {
		if r.Context().Err() == nil {
			h.log.Error("export: a session could not be read", "session", session, "error", err)
			problem.Write(w, &problem.Problem{
				Title: "Recording not readable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
				Detail: "The recording could not be read; the server's log says why.", Hint: "Try again.",
			})
		}
		return
	}
	if err := budget.Of(r.Context()).Reserve(r.Context(), s.Holds()); err != nil {
		if p, ok := problem.From(err); ok && r.Context().Err() == nil {
			problem.Write(w, p)
		}
		return
	}
	w.Header().Set("Content-Type", tapefile.MediaType)
	w.Header().Set("Content-Disposition", `attachment; filename="session.tape"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	out := slow.NewWriter(w, h.timeout)
	if err := s.Write(r.Context(), out, true); err != nil {
		if out.Err() == nil && r.Context().Err() == nil {
			h.log.Error("export: a tape file could not be written", "session", session, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}
