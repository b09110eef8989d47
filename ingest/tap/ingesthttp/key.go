package ingesthttp

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tapedeck/ingest/delivery/keys"
	"tapedeck/internal/problem"
)

// Headers of a request that may be repeated. The names come from the IETF drafts
// httpapi-idempotency-key-header and httpbis-resumable-upload.
const (
	keyHeader    = "Idempotency-Key"
	offsetHeader = "Upload-Offset"
)

// readKey reads the idempotency key and the offset from a request.
func (ask *request) readKey(r *http.Request) *problem.Problem {
	values, offset := r.Header.Values(keyHeader), r.Header.Get(offsetHeader)
	if len(values) == 0 {
		if offset != "" {
			return problem.BadParameter(offsetHeader,
				"Upload-Offset requires a key: send the header "+keyHeader+" as well.")
		}
		return nil
	}
	ask.key = strings.Join(values, ",") // several headers are not one key
	if n := len(ask.key); n > 1 && ask.key[0] == '"' && ask.key[n-1] == '"' {
		ask.key = ask.key[1 : n-1] // a string as structured fields (RFC 9651) encode it
	}
	if err := keys.Check(ask.key); err != nil {
		return problem.BadParameter(keyHeader, err.Error())
	}
	ask.stream.Key = ask.key
	if offset == "" {
		return nil
	}
	var err error
	if ask.offset, err = strconv.ParseUint(offset, 10, 63); err != nil {
		return problem.BadParameter(offsetHeader, fmt.Sprintf("%q is not a number of bytes.", offset))
	}
	return nil
}

// keyProblem returns the response to a request whose key is not usable.
func keyProblem(err error) *problem.Problem { return keys.Problem(err, keyHeader, offsetHeader) }

// keyStatus returns the HTTP status for an error of a keyed request.
func keyStatus(err error) int {
	if status := keys.HTTPStatus(err); status != 0 {
		return status
	}
	return statusOf(err)
}

func keyHint(status int) string {
	if hint := keys.Hint(status); hint != "" {
		return hint
	}
	return "Repeat the request with the same key, from its beginning or with Upload-Offset: durable_bytes."
}

// Status answers GET /v1/ingest/{key} with the durable frames and bytes of a key.
func (h *Handler) Status(w http.ResponseWriter, r *http.Request, tenant, key string) {
	if err := keys.Check(key); err != nil {
		problem.Write(w, problem.BadParameter("key", err.Error()))
		return
	}
	if bad := problem.UnknownParameter(r.URL.Query()); bad != nil {
		problem.Write(w, bad)
		return
	}
	if h.opts.Keys == nil {
		problem.Write(w, noKeys())
		return
	}
	status, err := h.opts.Keys.Status(r.Context(), tenant, key)
	if err != nil {
		p := keyProblem(err)
		p.Parameter = "key"
		if p.Status == http.StatusServiceUnavailable {
			p.Hint = "Ask again later."
		}
		problem.Write(w, p)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(offsetHeader, strconv.FormatUint(status.Bytes, 10))
	writeJSON(w, "application/json", http.StatusOK, status)
}

func noKeys() *problem.Problem {
	return &problem.Problem{
		Status: http.StatusNotImplemented, Parameter: keyHeader, Detail: "This server does not accept idempotency keys.",
		Hint: "Send the body without the header " + keyHeader + ".",
	}
}

// claimTimeout bounds how long a request waits for its key.
const claimTimeout = 30 * time.Second
