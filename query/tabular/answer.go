package tabular

import (
	"bufio"
	"io"
	"net/http"

	"tapedeck/query/endpoint"
)

// Report is a report that can be written as CSV.
type Report interface {
	FileName() string // without the extension
	WriteCSV(w io.Writer, cells Cells) error
}

// Answer answers a request with a report as CSV.
func Answer(b *endpoint.Base, w http.ResponseWriter, r *http.Request, report Report, cells Cells) {
	b.Stream(w, r, CSV.File(report.FileName()), func(to io.Writer) error {
		buffered := bufio.NewWriter(to)
		if err := report.WriteCSV(buffered, cells); err != nil {
			return err
		}
		return buffered.Flush()
	})
}
