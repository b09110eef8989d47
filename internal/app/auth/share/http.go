package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
	"tapedeck/replay"
)

const (
	// DefaultLife is the default lifetime of a link, MostLife the maximum.
	DefaultLife = 7 * 24 * time.Hour
	MostLife    = 366 * 24 * time.Hour
	bodyLimit   = 64 << 10
	noteLimit   = 500
	natsTimeout = 5 * time.Second
)

// Page is the path of the page that a link opens. The secret is in the fragment, which browsers do
// not send to servers: it appears in no log and in no Referer.
const Page = "/share"

// Link is a shared link in a list.
type Link struct {
	ID        string     `json:"id"`
	Session   string     `json:"session"`
	From      *time.Time `json:"from"`
	To        *time.Time `json:"to"`
	Note      string     `json:"note"`
	CreatedAt time.Time  `json:"created_at"`
	CreatedBy string     `json:"created_by"`
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	LastUsed  *time.Time `json:"last_used"`
	URL       string     `json:"url,omitempty"` // only in the answer to its creation
}

// Handler creates, lists and revokes links. Its store is nil on a server without tokens.
type Handler struct {
	Store   *access.Store
	Library replay.Library
	Public  *url.URL // nil for the address of the request
}

// ServeList answers GET /v1/shares with all links of the tenant for an administrator, and with a
// principal's own links for other principals.
func (h *Handler) ServeList(w http.ResponseWriter, r *http.Request) {
	if h.off(w) {
		return
	}
	shares, err := h.Store.Shares(access.Tenant(r.Context()))
	if err != nil {
		fail(w, err)
		return
	}
	p := access.From(r.Context())
	items := []Link{}
	for _, s := range shares {
		if session := r.URL.Query().Get("session"); session != "" && s.Share.Session != session || !mayManage(p, &s.Token) {
			continue
		}
		items = append(items, linkOf(&s.Token, s.Share))
	}
	write(w, http.StatusOK, struct {
		Items []Link  `json:"items"`
		Next  *string `json:"next"` // always null
	}{Items: items})
}

// ServeCreate answers POST /v1/shares with a new link.
func (h *Handler) ServeCreate(w http.ResponseWriter, r *http.Request) {
	if h.off(w) {
		return
	}
	var body struct {
		Session   string     `json:"session"`
		From      *time.Time `json:"from"`
		To        *time.Time `json:"to"`
		ExpiresAt *time.Time `json:"expires_at"`
		Note      string     `json:"note"`
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		problem.Write(w, &problem.Problem{Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".", Hint: `Send {"session": "…"}; from, to, expires_at and note may be left out.`})
		return
	}
	now := time.Now().UTC()
	if body.To == nil || body.To.After(now) {
		body.To = &now // later frames are not shared
	}
	if body.ExpiresAt == nil {
		at := now.Add(DefaultLife)
		body.ExpiresAt = &at
	}
	var bad *problem.Problem
	switch {
	case len(body.Note) > noteLimit:
		bad = problem.BadParameter("note", fmt.Sprintf("A note has at most %d bytes.", noteLimit))
	case body.From != nil && !body.From.Before(*body.To):
		bad = problem.BadParameter("from", "The span is empty: from must be before to, and before now.")
	case !body.ExpiresAt.After(now) || body.ExpiresAt.After(now.Add(MostLife)):
		bad = problem.BadParameter("expires_at", "A link expires in the future, within a year.")
	}
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	p, tenant := access.From(r.Context()), access.Tenant(r.Context())
	if _, err := h.Library.Tape(r.Context(), tenant, body.Session); errors.Is(err, replay.ErrNoSession) {
		problem.Write(w, problem.NotFound(fmt.Sprintf("There is no session %q.", body.Session)))
		return
	} else if err != nil {
		fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), natsTimeout)
	defer cancel()
	t, text, err := h.Store.CreateShare(ctx, access.Request{
		Name: "shared link", Tenant: tenant, Scopes: []access.Scope{access.Read}, ExpiresAt: body.ExpiresAt, CreatedBy: p.Who(),
	}, access.Share{Session: body.Session, From: body.From, To: body.To, Note: body.Note})
	if err != nil {
		fail(w, err)
		return
	}
	entry := audit.From(r.Context())
	entry.Object, entry.Detail = body.Session, "link "+t.ID
	link := linkOf(t, &access.Share{Session: body.Session, From: body.From, To: body.To, Note: body.Note})
	link.URL = h.address(r) + Page + "#" + text
	write(w, http.StatusCreated, link)
}

// ServeRevoke answers DELETE /v1/shares/{id} with the revoked link.
func (h *Handler) ServeRevoke(w http.ResponseWriter, r *http.Request, id string) {
	if h.off(w) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), natsTimeout)
	defer cancel()
	shares, err := h.Store.Shares(access.Tenant(r.Context()))
	if err != nil {
		fail(w, err)
		return
	}
	for _, s := range shares {
		if s.ID != id || !mayManage(access.From(r.Context()), &s.Token) {
			continue
		}
		t, err := h.Store.Revoke(ctx, access.Tenant(r.Context()), id)
		if err != nil {
			fail(w, err)
			return
		}
		audit.From(r.Context()).Detail = "session " + s.Share.Session
		write(w, http.StatusOK, linkOf(t, s.Share))
		return
	}
	problem.Write(w, &problem.Problem{Status: http.StatusNotFound, Detail: fmt.Sprintf("There is no shared link with the id %q.", id), Hint: `"tapedeck share list" lists the links and their ids.`})
}

// mayManage reports whether a principal may see and revoke a link: it created the link, or
// administers the tenant.
func mayManage(p *access.Principal, t *access.Token) bool {
	return p.Has(access.Admin) || p.Who() == t.CreatedBy
}

func linkOf(t *access.Token, s *access.Share) Link {
	return Link{
		ID: t.ID, Session: s.Session, From: s.From, To: s.To, Note: s.Note,
		CreatedAt: t.CreatedAt, CreatedBy: t.CreatedBy, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, LastUsed: t.LastUsed,
	}
}

// address returns the address of the server for other users.
func (h *Handler) address(r *http.Request) string {
	switch {
	case h.Public != nil:
		return h.Public.String()
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (h *Handler) off(w http.ResponseWriter) bool {
	if h.Store == nil {
		problem.Write(w, &problem.Problem{
			Title: "Tokens are off", Status: http.StatusConflict,
			Detail: "This server answers on loopback only, where a link to it would lead nobody.", Hint: "Start it with --tokens.",
		})
	}
	return h.Store == nil
}

func fail(w http.ResponseWriter, err error) {
	if p, known := problem.From(err); known {
		problem.Write(w, p)
		return
	}
	problem.Write(w, &problem.Problem{
		Title: "Shared links cannot be reached", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: err.Error() + ".", Hint: "/readyz shows the state of the server.",
	})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}
