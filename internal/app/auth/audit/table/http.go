package table

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/slow"
	"tapedeck/query/endpoint"
	"tapedeck/query/tabular"
)

// Handler answers GET /v1/audit.
type Handler struct{ *endpoint.Base }

const (
	pageLimit, pageMost = 100, 1000
)

var formats = []string{"json", "ndjson", "csv"}

// Entries responds with the entries of a tenant, "" for all tenants.
func (h Handler) Entries(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Principal: p.Text("principal"), Action: p.Text("action"),
		Object: p.Text("object"), Outcome: endpoint.OneOf(p, "outcome", audit.Outcomes)}
	q.From, q.To = p.Range(time.UTC, h.Clock())
	as := endpoint.OneOf(p, "format", formats)
	if long := as == "ndjson" || as == "csv"; long {
		for _, name := range []string{"limit", "cursor"} {
			if v := p.Text(name); v != "" {
				p.Refuse(name, v, "goes with format=json", "left out")
			}
		}
	}
	cells := tabular.ReadCells(p, as == "csv")
	limit, cursor := p.Number("limit", pageLimit, 1, pageMost), p.Text("cursor")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	switch as {
	case "ndjson":
		h.write(w, r, q, "application/x-ndjson", as, newLines)
	case "csv":
		h.write(w, r, q, "text/csv; charset=utf-8; header=present", as, func(to *bufio.Writer) format { return newCSV(to, cells) })
	default:
		page, err := ReadPage(r.Context(), h.Reader, q, cursor, limit)
		h.Answer(w, r, page, err)
	}
}

// format writes entries and the end of the output.
type format struct {
	write func(*audit.Entry) error
	end   func() error
}

// write writes all entries as they are read. It writes nothing before the first ones were read.
func (h Handler) write(w http.ResponseWriter, r *http.Request, q Query, media, suffix string, open func(*bufio.Writer) format) {
	answer, begun := slow.NewWriter(w, h.WriteTimeout), false
	begin := func() {
		begun = true
		w.Header().Set("Content-Disposition", `attachment; filename="audit.`+suffix+`"`)
		w.Header().Set("Content-Type", media)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
	}
	buffered := bufio.NewWriterSize(answer, 64<<10)
	out := open(buffered)
	err := Each(r.Context(), h.Reader, q, nil, 0, func(e *audit.Entry) error {
		if !begun {
			begin()
		}
		return out.write(e)
	})
	if err != nil && !begun {
		h.Fail(w, r, err)
		return
	}
	if !begun {
		begin()
	}
	if err == nil {
		err = out.end()
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		h.Broken(r, err)
	}
}

func newLines(w *bufio.Writer) format {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return format{func(entry *audit.Entry) error { return e.Encode(entry) }, func() error { return nil }}
}

// columnNames are the columns of an export as CSV.
var columnNames = []string{"at", "tenant", "principal_kind", "principal_id", "principal_name", "remote",
	"action", "kind", "object", "detail", "outcome", "status", "request_id", "id"}

func newCSV(w *bufio.Writer, cells tabular.Cells) format {
	c := tabular.NewRecords(w, cells)
	head := c.Write(columnNames)
	return format{func(e *audit.Entry) error {
		if head != nil {
			return head
		}
		return c.Write([]string{
			e.At.Format(time.RFC3339Nano), e.Tenant, e.Principal.Kind, e.Principal.ID, e.Principal.Name, e.Remote, string(e.Action), e.Kind,
			e.Object, e.Detail, string(e.Outcome), strconv.Itoa(e.Status), e.RequestID, e.ID,
		})
	}, func() error { return nil }}
}
