package reconcile

import (
	"net/http"
	"time"

	"tapedeck/query/endpoint"
	"tapedeck/query/facts/findings"
	"tapedeck/query/sessionfilter"
)

const pageLimit, pageMost = 50, 100 // sessions on a page

// Any is the value that selects sessions with any finding.
const Any = "any"

// Handler serves the routes of reconciliation.
type Handler struct{ *endpoint.Base }

// Reconciliation serves GET /v1/usage/reconciliation.
func (h Handler) Reconciliation(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	from, to := p.Range(time.UTC, h.Clock())
	if f := sessionfilter.Read(p); f != nil {
		q.Filter = *f
	}
	q.Filter.From, q.Filter.To = from, to
	for _, code := range endpoint.SomeOf(p, "finding", append([]string{Any}, findings.Codes...)) {
		if code == Any {
			q.Findings = findings.Codes
			break
		}
		q.Findings = append(q.Findings, code)
	}
	q.Limit = p.Number("limit", pageLimit, 1, pageMost)
	q.Cursor = p.Text("cursor")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, page, err)
}
