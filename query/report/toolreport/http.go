package toolreport

import (
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

// Handler serves the route of tools.
type Handler struct{ *endpoint.Base }

const slowestMost = 1000

// Tools serves GET /v1/tools.
func (h Handler) Tools(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Zone: p.Zone("timezone")}
	q.From, q.To = p.Range(q.Zone, h.Clock())
	q.Sessions = sessionfilter.Read(p)
	q.Granularity = endpoint.OneOf(p, "granularity", grouping.Granularities)
	q.GroupBy = grouping.ReadGroupings(p, Groupings)
	if !p.Has("group_by") {
		q.GroupBy = Groupings[:1]
	}
	q.Slowest = p.Number("slowest", 0, 0, slowestMost)
	format := endpoint.OneOf(p, "format", []tabular.Format{tabular.JSON, tabular.CSV})
	if format == tabular.CSV && q.Slowest > 0 {
		p.Refuse("slowest", p.Value("slowest"), "does not go with format=csv, which returns the groups alone", "0")
	}
	cells := tabular.ReadCells(p, format == tabular.CSV)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	report, err := Read(r.Context(), h.Reader, q)
	if err == nil {
		report.Completeness = query.CompletenessOf(r.Context())
	}
	if err != nil || format != tabular.CSV {
		h.Answer(w, r, report, err)
		return
	}
	tabular.Answer(h.Base, w, r, report, cells)
}
