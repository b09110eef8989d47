package reconcile

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/billing/reconcile/providerexport"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
)

// Bounds of an uploaded export: its bytes, and its days and models, which bound the answer.
const (
	exportBytes = 256 << 20
	exportCells = 20_000
)

// Export serves POST /v1/usage/reconciliation, whose body is a provider's export. Nothing of the
// export is stored.
func (h Handler) Export(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	o := providerexport.Options{
		Provider: endpoint.OneOf(p, "provider", append([]string{""}, providerexport.Providers...)),
		Ignore:   p.Words("ignore"), MaxCells: exportCells,
	}
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	export, err := providerexport.Read(http.MaxBytesReader(w, r.Body, exportBytes), o)
	if err != nil {
		h.Fail(w, r, refusal(err))
		return
	}
	recorded, err := recordedUsage(r.Context(), h.Reader, tenant, export)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	h.Answer(w, r, providerexport.Compare(export, recorded), nil)
}

// refusal returns the problem for an export that cannot be read.
func refusal(err error) error {
	p := &problem.Problem{Title: "Export not valid", Status: http.StatusBadRequest,
		Detail: "The export cannot be read: " + err.Error() + "."}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		p.Title, p.Status = "Export too large", http.StatusRequestEntityTooLarge
		p.Detail = fmt.Sprintf("An export has at most %d MiB.", exportBytes>>20)
		p.Hint = "Export a shorter range, or compare it with \"tapedeck doctor usage --export\", which reads files of any size."
	}
	if at, ok := errors.AsType[*providerexport.Error](err); ok {
		p.Parameter, p.Hint = at.Field,
			"Nothing was changed. Correct the file, or name fields to leave out with ignore, and send it again."
		p.Detail = strings.Replace(p.Detail, "name it with --ignore to leave it out",
			"name it with ignore to leave it out", 1)
	}
	return p
}

// recordedUsage returns the recorded usage of the days of an export.
func recordedUsage(
	ctx context.Context, r *query.Reader, tenant string, e *providerexport.Export,
) ([]providerexport.Recorded, error) {
	from, err := time.Parse(time.DateOnly, e.From)
	if err != nil {
		return nil, err
	}
	last, err := time.Parse(time.DateOnly, e.To)
	if err != nil {
		return nil, err
	}
	report, err := usagereport.Read(ctx, r, usagereport.Query{
		Tenant: tenant, From: from, To: last.AddDate(0, 0, 1),
		Granularity: grouping.Daily, GroupBy: []string{"provider", "model"},
	})
	if err != nil {
		return nil, err
	}
	list := make([]providerexport.Recorded, len(report.Items))
	for i := range report.Items {
		row := &report.Items[i]
		list[i] = providerexport.Recorded{
			Day: *row.Name, Provider: query.Text(row.Group["provider"]), Model: query.Text(row.Group["model"]),
			Calls: row.Calls, Tokens: row.Tokens, Unpriced: row.UnpricedCalls,
		}
		if row.Cost == nil {
			continue
		}
		if e.Currency != "" && e.Currency != row.Cost.Currency {
			return nil, &problem.Problem{
				Title: "Currencies differ", Status: http.StatusBadRequest,
				Detail: fmt.Sprintf("The export has costs in %s, and prices are in %s: they are not comparable.",
					e.Currency, row.Cost.Currency),
				Hint: "Send an export of usage, or import a price file with the currency of the export.",
			}
		}
		list[i].Cost = &row.Cost.Amount
	}
	return list, nil
}
