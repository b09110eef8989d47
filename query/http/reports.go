package queryhttp

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"tapedeck/query/reports"
	"tapedeck/query/toolreport"
	"tapedeck/query/usagereport"
)

// Usage answers GET /v1/usage.
func (s *Server) Usage(w http.ResponseWriter, r *http.Request, tenant string) {
	p := newParams(r)
	q := usagereport.Query{Tenant: tenant, Zone: p.zone("timezone")}
	q.From, q.To = p.span(q.Zone, s.now())
	q.Granularity = oneOf(p, "granularity", reports.Granularities)
	q.GroupBy = p.groupings(usagereport.Groupings)
	format := oneOf(p, "format", formats)
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	report, err := usagereport.Read(r.Context(), s.reader, q)
	if err != nil || format != "csv" {
		s.answer(w, r, report, err)
		return
	}
	s.answerCSV(w, r, report)
}

// formats are those of reports.
var formats = []string{"json", "csv"}

// answerCSV writes a report as CSV.
func (s *Server) answerCSV(w http.ResponseWriter, r *http.Request, report interface {
	WriteCSV(io.Writer) error
	FileName() string
}) {
	w.Header().Set("Content-Disposition", `attachment; filename="`+report.FileName()+`.csv"`)
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Cache-Control", "no-store")
	if err := report.WriteCSV(w); err != nil {
		s.broken(r, err)
	}
}

const slowestMost = 1000

// Tools answers GET /v1/tools.
func (s *Server) Tools(w http.ResponseWriter, r *http.Request, tenant string) {
	p := newParams(r)
	q := toolreport.Query{Tenant: tenant, Zone: p.zone("timezone")}
	q.From, q.To = p.span(q.Zone, s.now())
	q.Granularity = oneOf(p, "granularity", reports.Granularities)
	q.GroupBy = p.groupings(toolreport.Groupings)
	if !p.values.Has("group_by") {
		q.GroupBy = toolreport.Groupings[:1]
	}
	q.Slowest = p.number("slowest", 0, 0, slowestMost)
	format := oneOf(p, "format", formats)
	if format == "csv" && q.Slowest > 0 {
		p.refuse("slowest", p.values.Get("slowest"), "does not go with format=csv, which gives the groups alone", "0")
	}
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	report, err := toolreport.Read(r.Context(), s.reader, q)
	if err != nil || format != "csv" {
		s.answer(w, r, report, err)
		return
	}
	s.answerCSV(w, r, report)
}

// groupings reads group_by: names separated by commas. A tag's name may hold
// anything but a comma.
func (p *params) groupings(allowed []string) []string {
	list := p.words("group_by")
	for _, name := range list {
		tag, isTag := strings.CutPrefix(name, reports.TagPrefix)
		if slices.Contains(allowed, name) && !isTag || isTag && tag != "" && slices.Contains(allowed, reports.TagPrefix) {
			continue
		}
		shown := slices.Clone(allowed)
		if i := slices.Index(shown, reports.TagPrefix); i >= 0 {
			shown[i] = reports.TagPrefix + "<name>"
		}
		p.refuse("group_by", name, "is nothing to group by", shown...)
		return nil
	}
	return list
}
