package evidence

import (
	"archive/zip"
	"context"
	"io"
	"net/http"
	"time"

	"tapedeck/query/billing/bills"
	"tapedeck/query/endpoint"
	"tapedeck/query/tabular"
)

// Tapes returns a function that writes the tape of a session; nil if the session is not
// stored.
type Tapes func(ctx context.Context, tenant, session string) (func(io.Writer) error, error)

// Handler serves the route of evidence.
type Handler struct {
	*endpoint.Base
	Store *bills.Store
	Tapes Tapes
	// Prices reports whether the caller may read price tables, which have rules of all tenants.
	Prices func(*http.Request) bool
}

// Evidence serves GET /v1/bills/{number}/evidence.
func (h Handler) Evidence(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	cells := tabular.ReadCells(p, true)
	err := p.Done()
	var b *bills.Bill
	if err == nil {
		b, err = h.Store.Bill(r.Context(), tenant, number)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	h.Stream(w, r, endpoint.File{Name: b.Number + "-evidence.zip", Media: "application/zip"}, func(to io.Writer) error {
		files := archive{zip.NewWriter(to), h.Clock()}
		parts := h.parts(r, tenant, b)
		parts.Cells = cells
		if _, err := Write(r.Context(), parts, files); err != nil {
			return err
		}
		return files.zip.Close()
	})
}

func (h Handler) parts(r *http.Request, tenant string, b *bills.Bill) Parts {
	parts := Parts{
		Bill: b,
		Rows: func(ctx context.Context, w io.Writer) ([]string, error) {
			sessions, seen := []string{}, map[string]bool{}
			err := h.Store.WriteRows(ctx, tenant, b, w, func(row *bills.Row) {
				if !seen[row.SessionID] {
					seen[row.SessionID] = true
					sessions = append(sessions, row.SessionID)
				}
			})
			return sessions, err
		},
		Tape: func(ctx context.Context, session string) (func(io.Writer) error, error) {
			return h.Tapes(ctx, tenant, session)
		},
	}
	if h.Prices(r) {
		parts.Prices = func(ctx context.Context, w io.Writer) error {
			text, err := h.Store.PriceText(ctx, b)
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		}
	}
	return parts
}

// archive is a ZIP file whose entries have one modification time.
type archive struct {
	zip *zip.Writer
	at  time.Time
}

// Create implements Files.
func (a archive) Create(name string) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at.UTC()})
}
