package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
)

// class is who may use a route.
type class struct {
	public bool // without a token
	any    bool // with any scope
	shared bool // also with a shared link, about its session
	scope  access.Scope
	also   access.Scope // "" if the scope suffices
	server bool         // it is about all tenants, so tokens of one tenant do not suffice
}

var (
	public   = class{public: true}
	anybody  = class{any: true, shared: true}
	records  = class{scope: access.Record}
	reads    = class{scope: access.Read}
	readsRaw = class{scope: access.ReadRaw}
	billing  = class{scope: access.Bill}
	evidence = class{scope: access.Bill, also: access.ReadRaw}
	admins   = class{scope: access.Admin}
	operates = class{scope: access.Admin, server: true}
)

// route is what the table knows of a route.
type route struct {
	class
	action audit.Action // what its requests are in the audit log; audit.None for none
}

// routeTable registers routes, each with its class and action.
type routeTable struct {
	server *Server
	echo   *echo.Echo
}

// add registers a handler.
func (t *routeTable) add(c class, a audit.Action, method, path string, h echo.HandlerFunc) {
	r := route{c, a}
	if c.scope == access.Record || strings.HasPrefix(path, "/emulate/") {
		h = withoutBodyDeadline(h)
	}
	t.server.table[method+" "+path] = r
	t.echo.Add(method, path, t.server.authorized(r, t.server.audited(r, t.server.unlessDeleted(method, path, t.server.viewed(r, h)))))
}

// get registers a handler for GET and HEAD. net/http omits the body of answers to
// HEAD.
func (t *routeTable) get(c class, a audit.Action, path string, h echo.HandlerFunc) {
	t.add(c, a, http.MethodGet, path, h)
	t.add(c, a, http.MethodHead, path, h)
}

// check panics if a route was registered past the table, or without a class or action: nothing
// would check or record its requests.
func (t *routeTable) check() {
	for _, registered := range t.echo.Routes() {
		name := registered.Method + " " + registered.Path
		if r, known := t.server.table[name]; !known || !r.public && !r.any && r.scope == "" || r.action == "" {
			panic("route " + name + " has no class or no audit action")
		}
	}
}
