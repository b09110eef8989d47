package openspans

import (
	"net/http"
	"slices"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/sessionfilter"
)

const sessionsLimit, sessionsMost = 50, 200 // on a page

// Handler serves the route of what runs now.
type Handler struct {
	*endpoint.Base
	Usuals *toolreport.Usuals
}

// Open serves GET /v1/open.
func (h Handler) Open(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Usuals: h.Usuals}
	if f := sessionfilter.Read(p); f != nil {
		q.Filter = *f
	}
	for _, s := range q.Statuses {
		if !slices.Contains(Statuses, s) {
			p.Refuse("status", string(s), "is none of a session that runs", "running", "quiet")
		}
	}
	q.Sort = endpoint.OneOf(p, "sort", sessionfilter.Sorts)
	q.Limit = p.Number("limit", sessionsLimit, 1, sessionsMost)
	q.Cursor = p.Text("cursor")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}
