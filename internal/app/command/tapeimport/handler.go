package tapeimport

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"

	"tapedeck/ingest"
	"tapedeck/internal/problem"
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

// Handler imports tape files that clients send.
type Handler struct {
	to  ingest.Publisher
	log *slog.Logger
}

// NewHandler returns a handler that publishes to a publisher.
func NewHandler(to ingest.Publisher, log *slog.Logger) *Handler { return &Handler{to, log} }

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
	err = im.Import(r.Context(), r.Body)
	if r.Context().Err() != nil {
		problem.Write(w, problem.Ended(r.Context())) // if the client is still connected
		return
	}
	if err != nil && len(im.Sessions) == 0 {
		problem.Write(w, &problem.Problem{
			Status: http.StatusBadRequest, Detail: "The body could not be imported: " + err.Error() + ".",
			Hint: `Send a file that "tapedeck export" or GET /v1/sessions/{id}/tape wrote.`,
		})
		return
	}
	answer := Answer{Items: im.Sessions, Complete: err == nil}
	if err != nil {
		h.log.Warn("import: a tape was imported in part", "error", err)
		answer.Reason = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a write error means that the client has disconnected
}
