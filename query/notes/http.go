package notes

import (
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"net/http"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/facts/sessionstreams"
)

// bodyLimit bounds the body of a request, bytes: a text with each byte escaped, and labels.
const bodyLimit = 128 << 10

// limits of GET /v1/notes.
const limit, most = 50, 500

// Handler serves the routes of notes.
type Handler struct {
	*endpoint.Base
	// Author returns who writes a note: the name of the token or user of a request.
	Author func(*http.Request) string
}

// body is the body of a request that writes a note. At and Offset name a moment; one may be set.
type body struct {
	Content
	Span   string     `json:"span_id"`
	At     *time.Time `json:"at"`
	Offset *float64   `json:"offset_ms"` // from the start of the session
}

// List serves GET /v1/notes.
func (h Handler) List(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{
		Tenant: tenant, Session: p.Text("session"), Text: p.Text("q"), Labels: p.Texts("label"), Thumb: endpoint.OneOf(p, "thumb", Thumbs),
		Author: p.Text("author"), Limit: p.Number("limit", limit, 1, most),
	}
	q.From, q.To = p.Range(p.Zone("timezone"), h.Clock())
	cursor := p.Text("cursor")
	err := p.Done()
	if err == nil {
		q.After, err = query.ParseMark(listed, cursor)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := List(r.Context(), h.Reader, q)
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}

// OfSession serves GET /v1/sessions/{id}/notes.
func (h Handler) OfSession(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := endpoint.NewParams(r).Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	if _, err := sessionstreams.Kept(r.Context(), h.Reader, tenant, session); err != nil {
		h.Fail(w, r, err)
		return
	}
	list, err := OfSession(r.Context(), h.Reader, tenant, session)
	h.Answer(w, r, query.Page[Note]{Items: list}, err)
}

// Add serves POST /v1/sessions/{id}/notes. It answers 201 with the note.
func (h Handler) Add(w http.ResponseWriter, r *http.Request, tenant, session string) {
	b, err := read(w, r)
	if err == nil && b.At != nil && b.Offset != nil {
		err = problem.BadParameter("at", "at and offset_ms both name a moment.", "one of the two")
	}
	n := Note{Session: session, Span: query.Named(b.Span), At: b.At, Content: b.Content, Author: h.Author(r)}
	if err == nil && b.Offset != nil {
		n.At, err = h.moment(r, tenant, session, *b.Offset)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	added, err := Add(r.Context(), h.Reader, tenant, n)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	h.Answer(w, r, added, nil)
}

// moment returns the moment of a session at an offset from its start, ms.
func (h Handler) moment(r *http.Request, tenant, session string, offset float64) (*time.Time, error) {
	s, err := sessionstreams.Kept(r.Context(), h.Reader, tenant, session)
	if err != nil {
		return nil, err
	}
	if most := float64(math.MaxInt64-s.Started) / 1e6; !(offset >= 0 && offset < most) {
		return nil, problem.BadParameter("offset_ms", "offset_ms is not a time after the start of the session, ms.")
	}
	at := query.Instant(s.Started + int64(math.Round(offset*1e6)))
	return &at, nil
}

// Change serves PUT /v1/sessions/{id}/notes/{note}. The span and the moment of a note stay.
func (h Handler) Change(w http.ResponseWriter, r *http.Request, tenant, session, id string) {
	b, err := read(w, r)
	if err == nil && (b.Span != "" || b.At != nil || b.Offset != nil) {
		err = problem.BadParameter("at", "The span and the moment of a note cannot be changed.", "text, labels, thumb")
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	n, err := Change(r.Context(), h.Reader, tenant, session, id, b.Content)
	h.Answer(w, r, n, err)
}

// Delete serves DELETE /v1/sessions/{id}/notes/{note}.
func (h Handler) Delete(w http.ResponseWriter, r *http.Request, tenant, session, id string) {
	err := endpoint.NewParams(r).Done()
	if err == nil {
		err = Delete(r.Context(), h.Reader, tenant, session, id)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Import serves POST /v1/sessions/{id}/notes/import.
func (h Handler) Import(w http.ResponseWriter, r *http.Request, tenant, session string) {
	var b struct {
		Notes []Imported `json:"notes"`
	}
	err := decode(w, r, importLimit, &b, `Send {"notes": […]} with notes as a tape file has them.`)
	if err == nil && (len(b.Notes) == 0 || len(b.Notes) > MostImported) {
		err = problem.BadParameter("notes", fmt.Sprintf("The request has %d notes; it must have 1 to %d.", len(b.Notes), MostImported))
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	result, err := Import(r.Context(), h.Reader, tenant, session, h.Author(r), b.Notes)
	h.Answer(w, r, result, err)
}

// read reads the body of a request that writes a note.
func read(w http.ResponseWriter, r *http.Request) (b body, err error) {
	err = decode(w, r, bodyLimit, &b,
		`Send {"text": …, "labels": […], "thumb": "up" or "down"}, with span_id, and at or offset_ms, for a span or a moment.`)
	return b, err
}

// decode reads a body of JSON with at most limit bytes into v. hint says what a body is.
func decode(w http.ResponseWriter, r *http.Request, limit int64, v any, hint string) error {
	if err := endpoint.NewParams(r).Done(); err != nil {
		return err
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("Notes are sent as application/json, not as %q.", r.Header.Get("Content-Type")),
		}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return &problem.Problem{Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".", Hint: hint}
	}
	return nil
}
