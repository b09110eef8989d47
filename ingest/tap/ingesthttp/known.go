package ingesthttp

import (
	"context"
	"fmt"
	"net/http"

	"tapedeck/internal/problem"
)

// Known is the problem response for a body whose bytes were recorded before.
type Known struct {
	problem.Problem
	Session string `json:"session"` // the session that holds these bytes
}

// known returns the response for a body that was recorded before, nil for a body that is to be
// recorded. If the store does not answer, the body is recorded.
func (h *Handler) known(ctx context.Context, ask *request) *Known {
	if h.opts.Known == nil || ask.digest == "" || ask.again || ask.key != "" { // a key identifies its own recording
		return nil
	}
	session, err := h.opts.Known(ctx, ask.stream.Tenant, ask.digest)
	if err != nil {
		h.opts.Log.Warn("ingest: the digest of a body could not be looked up", "digest", ask.digest, "error", err)
		return nil
	}
	if session == "" {
		return nil
	}
	return &Known{
		Problem: problem.Problem{
			Title: "Recorded already", Status: http.StatusConflict, Parameter: "digest",
			Detail: fmt.Sprintf("These bytes are session %s already.", session),
			Hint:   "Send the body with again=1 to record it once more.",
		},
		Session: session,
	}
}
