package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/deploy/access"
)

// class is who may use a route.
type class struct {
	public bool // without a token
	scope  access.Scope
	server bool // it is about all tenants, so tokens of one tenant do not suffice
}

var (
	public   = class{public: true}
	records  = class{scope: access.Record}
	reads    = class{scope: access.Read}
	readsRaw = class{scope: access.ReadRaw}
	billing  = class{scope: access.Bill}
	admins   = class{scope: access.Admin}
	operates = class{scope: access.Admin, server: true}
)

// routeTable registers routes, each with its class.
type routeTable struct {
	server  *Server
	echo    *echo.Echo
	classes map[string]class // by method and path
}

// add registers a handler.
func (r *routeTable) add(c class, method, path string, h echo.HandlerFunc) {
	r.classes[method+" "+path] = c
	r.echo.Add(method, path, r.server.authorized(c, h))
}

// get registers a handler for GET and HEAD. net/http omits the body of answers to
// HEAD.
func (r *routeTable) get(c class, path string, h echo.HandlerFunc) {
	r.add(c, http.MethodGet, path, h)
	r.add(c, http.MethodHead, path, h)
}

// check panics if a route was registered past the table: nothing would check its requests.
func (r *routeTable) check() {
	for _, route := range r.echo.Routes() {
		if c, known := r.classes[route.Method+" "+route.Path]; !known || !c.public && c.scope == "" {
			panic("route " + route.Method + " " + route.Path + " has no class")
		}
	}
}
