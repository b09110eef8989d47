package modelcalls

import (
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

// Handler serves the route of calls.
type Handler struct{ *endpoint.Base }

const callsLimit, callsMost = 100, 1000 // single calls

// Calls serves GET /v1/calls.
func (h Handler) Calls(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Zone: p.Zone("timezone")}
	q.From, q.To = p.Range(q.Zone, h.Clock())
	q.Granularity = endpoint.OneOf(p, "granularity", grouping.Granularities)
	q.GroupBy = grouping.ReadGroupings(p, Groupings)
	if !p.Has("group_by") {
		q.GroupBy = Groupings[:1]
	}
	q.Sessions = sessionfilter.Read(p)
	// A session has calls of several models and agents: only the calls of the selected ones count.
	q.Models, q.Agents, q.Providers = p.Texts("model"), p.Texts("agent"), p.Texts("provider")
	q.Outcomes = endpoint.SomeOf(p, "outcome", Outcomes)
	q.Stall = p.Duration("stall")
	q.Bins = p.Flag("distributions")
	q.Order = endpoint.OneOf(p, "order", Orders)
	q.Limit = p.Number("limit", callsLimit, 0, callsMost)
	format := endpoint.OneOf(p, "format", []tabular.Format{tabular.JSON, tabular.CSV})
	if format == tabular.CSV {
		q.Bins, q.Limit = false, 0
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
