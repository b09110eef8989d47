package streamlist

import (
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
)

const streamsLimit = 50

// Most is the largest limit of a list.
const Most = 500

// DigestsMost is the number of digests that one request may ask for.
const DigestsMost = 100

// Handler serves the route of streams.
type Handler struct{ *endpoint.Base }

// Streams serves GET /v1/streams.
func (h Handler) Streams(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{
		Tenant: tenant, Session: p.Text("session"), Stream: p.Text("stream"),
		Active: p.Flag("active"), Failed: p.Flag("failed"),
		Limit: p.Number("limit", streamsLimit, 1, Most),
	}
	q.Digests = p.Digests("digest", DigestsMost)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Latest(r.Context(), h.Reader, q)
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}
