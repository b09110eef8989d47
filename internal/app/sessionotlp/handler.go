package sessionotlp

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/query/endpoint"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay"
)

// maxFacts bounds the memory of the facts of one document, bytes. They are about 100,000 spans.
const maxFacts = 64 << 20

// Handler serves GET /v1/sessions/{id}/otlp.
type Handler struct {
	Library      replay.Library // the stored sessions
	Options      Options        // Content is set by each request
	WriteTimeout *slow.Timeout  // of one write; nil for the default
	Log          *slog.Logger
}

// ServeSession sends the document of a session.
func (h *Handler) ServeSession(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p, o := endpoint.NewParams(r), h.Options
	o.Content = p.Flag("content")
	if err := p.Done(); err != nil {
		h.fail(w, r, session, err)
		return
	}
	t, err := h.Library.Tape(r.Context(), tenant, session)
	if err != nil {
		h.fail(w, r, session, err)
		return
	}
	s, err := tapefacts.ReadAtMost(r.Context(), t, maxFacts, o.Content, session, prices.Standard(), tenant)
	if err != nil {
		h.fail(w, r, session, err)
		return
	}
	var document bytes.Buffer
	if _, err := Write(&document, s, o); err != nil {
		h.fail(w, r, session, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = document.WriteTo(slow.NewWriter(w, h.WriteTimeout)) // the client has left
}

func (h *Handler) fail(w http.ResponseWriter, r *http.Request, session string, err error) {
	if r.Context().Err() != nil {
		return
	}
	p, ok := problem.From(err)
	switch {
	case ok:
	case errors.Is(err, replay.ErrNoSession):
		p = problem.NotFound(fmt.Sprintf("There is no session %q.", session))
		p.Hint = "GET /v1/sessions lists the sessions there are."
	case errors.Is(err, replay.ErrManyFacts):
		p = &problem.Problem{
			Title: "Session too large", Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("The facts of session %q take more than %d MiB of memory, the limit of one document.", session, maxFacts>>20),
			Hint:   `"tapedeck export --format otlp" writes the document of a session of any size.`,
		}
	default:
		h.Log.Error("otlp: the facts of a session could not be read", "session", session, "error", err)
		p = &problem.Problem{
			Title: "Recording not readable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "The facts of the session could not be read; the server's log says why.", Hint: "Try again.",
		}
	}
	problem.Write(w, p)
}
