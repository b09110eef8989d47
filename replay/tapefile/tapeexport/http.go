package tapeexport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
)

// writeTimeout is how long a client may take to accept one write.
const writeTimeout = 30 * time.Second

// Handler answers GET /v1/sessions/{id}/tape.
type Handler struct {
	source *Source
	log    *slog.Logger
}

// NewHandler makes a handler. log may be nil.
func NewHandler(s *Source, log *slog.Logger) *Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Handler{source: s, log: log}
}

// Tape sends a session as a tape file. If it fails in the middle it
// panics with http.ErrAbortHandler, so that the client detects the truncation.
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
			h.log.Error("reading a session for a tape file failed", "session", session, "error", err)
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
	out := &timedWriter{w: w, control: http.NewResponseController(w)}
	if err := s.Write(r.Context(), out); err != nil {
		if out.err == nil && r.Context().Err() == nil {
			h.log.Error("writing a tape file failed", "session", session, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	if err := out.control.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
}

// timedWriter sets a deadline for every write, so that a client that does
// not read occupies only its connection, for a limited time.
type timedWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error // of a write: the client's
}

func (t *timedWriter) Write(p []byte) (n int, err error) {
	if err = t.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err == nil || errors.Is(err, http.ErrNotSupported) {
		n, err = t.w.Write(p)
	}
	t.err = err
	return n, err
}
