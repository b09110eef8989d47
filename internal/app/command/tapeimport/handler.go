package tapeimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay/tapefile"
)

// tapeType is the media type of tape files. A page of another site cannot send it without a
// preflight.
const tapeType = tapefile.MediaType

// Answer is the result of an import.
type Answer struct {
	Items    []*Session `json:"items"`
	Next     *string    `json:"next"`     // always null
	Complete bool       `json:"complete"` // the tape was read to its end
	// Reason is why the tape was not read to its end.
	Reason string `json:"reason,omitempty"`
}

// Options configures a Handler.
type Options struct {
	// Writers is charged for large records and for what is kept of a tape; nil does not bound them.
	Writers    *budget.Budget
	FrameLimit int           // most bytes of a frame; 0 for ingest.DefaultFrameLimit
	Arrive     *slow.Timeout // in which a large record must arrive; nil for the default
	Log        *slog.Logger
}

// Handler imports tape files that clients send.
type Handler struct {
	to   ingest.Publisher
	opts Options
}

// NewHandler returns a handler that publishes to a publisher.
func NewHandler(to ingest.Publisher, opts Options) *Handler { return &Handler{to, opts} }

// Import answers POST /v1/import: the body is a tape file, read as it arrives. The answer is sent
// when all imported data is durable.
func (h *Handler) Import(w http.ResponseWriter, r *http.Request, tenant string) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != tapeType {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{tapeType},
			Detail: fmt.Sprintf("A tape file is sent as %s, not as %q.", tapeType, r.Header.Get("Content-Type")),
		})
		return
	}
	im := New(tenant, "", h.to)
	im.memory = newMemory(&h.opts, http.NewResponseController(w))
	defer im.memory.close()
	err = im.Import(r.Context(), r.Body)
	if why, ok := errors.AsType[*problem.Problem](err); ok { // there was no memory, or no record, in time
		problem.Write(w, why)
		return
	}
	if r.Context().Err() != nil {
		problem.Write(w, problem.Ended(r.Context())) // if the client is still connected
		return
	}
	hint := `Send a file that "tapedeck export" or GET /v1/sessions/{id}/tape wrote.`
	if errors.Is(err, tapefile.ErrTooLarge) {
		hint = `"tapedeck import FILE" records a tape of any size.`
	}
	if err != nil && len(im.Sessions) == 0 {
		problem.Write(w, &problem.Problem{
			Status: http.StatusBadRequest, Detail: "The body could not be imported: " + err.Error() + ".", Hint: hint,
		})
		return
	}
	answer := Answer{Items: im.Sessions, Complete: err == nil}
	if err != nil {
		h.opts.Log.Warn("import: a tape was imported in part", "error", err)
		if answer.Reason = err.Error(); errors.Is(err, tapefile.ErrTooLarge) {
			answer.Reason += ". " + hint
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a write error means that the client has disconnected
}
