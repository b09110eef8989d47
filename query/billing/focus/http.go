package focus

import (
	"io"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query/billing/bills"
	"tapedeck/query/endpoint"
	"tapedeck/query/tabular"
)

// Handler serves the routes of exports.
type Handler struct {
	*endpoint.Base
	Store *bills.Store // used to read closed bills only
}

// Bill serves GET /v1/bills/{number}/focus: a ZIP archive of the files of one bill.
func (h Handler) Bill(w http.ResponseWriter, r *http.Request, tenant, number string) {
	h.export(w, r, endpoint.NewParams(r), tenant, Scope{Number: number})
}

// Period serves GET /v1/bills/focus: a ZIP archive of the files of the closed bills of a period.
func (h Handler) Period(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	h.export(w, r, p, tenant, Scope{Period: p.Text("period"), Account: p.Text("account")})
}

func (h Handler) export(w http.ResponseWriter, r *http.Request, p *endpoint.Params, tenant string, of Scope) {
	o := Options{
		Tenant: tenant, Version: endpoint.OneOf(p, "version", Versions),
		Issuer: p.Text("issuer"), PaymentTerms: p.Text("payment_terms"),
		Tags: p.Texts("tag"), SubAccount: p.Text("sub_account"), Link: p.Text("link"),
		For: endpoint.OneOf(p, "for", Recipients), Cells: tabular.ReadCells(p, true),
	}
	if o.Version == "" {
		o.Version = V14
	}
	o.Columns = endpoint.SomeOf(p, "columns", Columns(o.Version))
	err := p.Done()
	if err == nil {
		err = of.check()
	}
	if err == nil {
		if bad := Check(o); bad != nil {
			err = problem.BadParameter("columns", bad.Error())
		}
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	source, err := Read(r.Context(), h.Store, tenant, of)
	var e *export
	if err == nil {
		e, err = newExport(r.Context(), h.Reader, source, o)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	h.Stream(w, r, endpoint.File{Name: of.fileName(o.Version), Media: "application/zip"}, func(to io.Writer) error {
		archive := NewArchive(to, h.Clock())
		if err := e.write(r.Context(), archive); err != nil {
			return err
		}
		return archive.Close()
	})
}

// fileName returns the name of an archive. Numbers and periods contain only characters that are
// valid in file names.
func (s Scope) fileName(v Version) string {
	what := s.Number
	if what == "" {
		what = s.Period
	}
	return what + "-focus-" + string(v) + ".zip"
}
