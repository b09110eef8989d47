package sessiontotals

import (
	"net/http"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/sessionfilter"
)

// Handler serves the route of totals.
type Handler struct{ *endpoint.Base }

// Totals serves GET /v1/totals.
func (h Handler) Totals(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	from, to := p.Range(time.UTC, h.Clock())
	if f := sessionfilter.Read(p); f != nil {
		q.Filter = *f
	}
	q.From, q.To = from, to
	q.Outdated = p.Flag("outdated")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	totals, err := Read(r.Context(), h.Reader, q)
	if err == nil {
		totals.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, totals, err)
}
