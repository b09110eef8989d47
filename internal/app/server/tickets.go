package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
)

// ticketLimit bounds a request for a ticket, bytes.
const ticketLimit = 16 << 10

// serveTicket answers POST /v1/tickets with a ticket for one GET request of an EventSource or
// WebSocket client, which cannot set Authorization.
func (s *Server) serveTicket(w http.ResponseWriter, r *http.Request) {
	if s.Tokens == nil {
		problem.Write(w, &problem.Problem{Title: "Tokens are off", Status: http.StatusConflict,
			Detail: "This server answers on loopback to everybody, and needs no tickets.",
			Hint:   "Start it with --tokens."})
		return
	}
	var body struct {
		Path string `json:"path"`
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, ticketLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		problem.Write(w, &problem.Problem{Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".", Hint: `Send {"path": "/v1/sessions/…/replay"}.`})
		return
	}
	p := access.From(r.Context())
	class, bad := s.ticketed(r, body.Path)
	if bad == nil && p.Kind != access.KindShare { // for a shared link the path is checked when it is requested
		bad = class.forbids(p)
	}
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	text, until, err := s.Tickets.Make(r.Context(),
		access.Ticket{Kind: p.Kind, ID: p.ID, Path: body.Path, Tenant: access.Tenant(r.Context())})
	if err != nil {
		s.Log.Error("access: a ticket was not made", "error", err)
		problem.Write(w, problem.Unchecked())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(struct { // a write error means that the client has disconnected
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expires_at"`
	}{text, until})
}

// ticketed returns the class of the route that serves GET of a path.
func (s *Server) ticketed(r *http.Request, path string) (class, *problem.Problem) {
	bad := func(why string) (class, *problem.Problem) {
		return class{}, problem.BadParameter("path",
			fmt.Sprintf("A ticket is for a path of this server, such as /v1/sessions/ID/replay, as it is sent "+
				"and without a query; %q %s.", path, why))
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		return bad("is none")
	}
	other, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://tapedeck"+path, nil)
	if err != nil || other.URL.EscapedPath() != path {
		return bad("is none")
	}
	ec := s.echo.NewContext(other, nil)
	s.echo.Router().Find(http.MethodGet, echo.GetPath(other), ec)
	found, known := s.table[http.MethodGet+" "+ec.Path()]
	if !known || found.public {
		return bad("leads to nothing that needs one")
	}
	return found.class, nil
}
