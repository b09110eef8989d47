package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"tapedeck/internal/problem"
)

// tapeType is the media type of tape files. A page of a foreign site cannot send
// it without asking first.
const tapeType = "application/vnd.tapedeck.tape"

// importAnswer says what came of a tape.
type importAnswer struct {
	Items    []*imported `json:"items"`
	Next     *string     `json:"next"`     // always null
	Complete bool        `json:"complete"` // the tape was read to its end
	// Reason says why it was not.
	Reason string `json:"reason,omitempty"`
}

// serveImport answers POST /v1/import: the body is a tape file, read as it
// arrives. The answer comes when all that was read is durable.
func (s *server) serveImport(w http.ResponseWriter, r *http.Request, tenant string) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != tapeType {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{tapeType},
			Detail: fmt.Sprintf("A tape file is sent as %s, not as %q.", tapeType, r.Header.Get("Content-Type")),
		})
		return
	}
	im, p := newImporter(tenant, ""), newParcels(s.node.accepts)
	im.publish = p.publish
	err = errors.Join(im.read(r.Context(), r.Body), p.wait(r.Context()))
	if r.Context().Err() != nil {
		problem.Write(w, problem.Interrupted()) // for whoever is still there
		return
	}
	if err != nil && len(im.sessions) == 0 {
		problem.Write(w, &problem.Problem{
			Status: http.StatusBadRequest, Detail: "The body could not be imported: " + err.Error() + ".",
			Hint: `Send a file that "tapedeck export" or GET /v1/sessions/{id}/tape gave.`,
		})
		return
	}
	answer := importAnswer{Items: im.sessions, Complete: err == nil}
	if err != nil {
		s.log.Warn("a tape was imported in part", "error", err)
		answer.Reason = err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client is gone
}
