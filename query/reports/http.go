package reports

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"tapedeck/query/endpoint"
)

// Formats are those of reports.
var Formats = []string{"json", "csv"}

// AnswerCSV writes a report as CSV.
func AnswerCSV(b *endpoint.Base, w http.ResponseWriter, r *http.Request, report interface {
	WriteCSV(io.Writer) error
	FileName() string
}) {
	w.Header().Set("Content-Disposition", `attachment; filename="`+report.FileName()+`.csv"`)
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Cache-Control", "no-store")
	if err := report.WriteCSV(w); err != nil {
		b.Broken(r, err)
	}
}

// ReadGroupings reads group_by: names separated by commas. A tag's name may hold
// anything but a comma.
func ReadGroupings(p *endpoint.Params, allowed []string) []string {
	list := p.Words("group_by")
	for _, name := range list {
		tag, isTag := strings.CutPrefix(name, TagPrefix)
		if slices.Contains(allowed, name) && !isTag || isTag && tag != "" && slices.Contains(allowed, TagPrefix) {
			continue
		}
		shown := slices.Clone(allowed)
		if i := slices.Index(shown, TagPrefix); i >= 0 {
			shown[i] = TagPrefix + "<name>"
		}
		p.Refuse("group_by", name, "is nothing to group by", shown...)
		return nil
	}
	return list
}
