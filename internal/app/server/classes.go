package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/quota"
)

// class describes which principals may use a route.
type class struct {
	public bool // without a token
	any    bool // with a token of any scope
	shared bool // also with a shared link, for its session
	scope  access.Scope
	also   access.Scope // "" if scope suffices
	server bool         // it concerns all tenants, so a token of one tenant does not suffice
}

var (
	public   = class{public: true}
	anybody  = class{any: true, shared: true}
	anyScope = class{any: true}
	records  = class{scope: access.Record}
	reads    = class{scope: access.Read}
	readsRaw = class{scope: access.ReadRaw}
	notes    = class{scope: access.Note, also: access.Read}
	billing  = class{scope: access.Bill}
	evidence = class{scope: access.Bill, also: access.ReadRaw}
	admins   = class{scope: access.Admin}
	operates = class{scope: access.Admin, server: true}
)

// route is the entry of the route table for a route.
type route struct {
	class
	action audit.Action // action of its requests in the audit log; audit.None for none
}

// routeTable registers routes, each with its class and action.
type routeTable struct {
	server *Server
	echo   *echo.Echo
}

// row is a row of the table of routes.
type row struct {
	class
	action  audit.Action
	methods []string
	path    string
	// limit returns the semaphore that a request acquires a slot of; nil for none.
	limit   func(*http.Request) *quota.Gate
	handler echo.HandlerFunc
}

// Methods of rows. net/http omits the body of answers to HEAD.
var (
	get     = []string{http.MethodGet}
	getHead = []string{http.MethodGet, http.MethodHead}
	post    = []string{http.MethodPost}
	put     = []string{http.MethodPut}
	patch   = []string{http.MethodPatch}
	del     = []string{http.MethodDelete}
)

// add registers the routes of rows.
func (t *routeTable) add(rows []row) {
	for i := range rows {
		e := &rows[i]
		r, h := route{e.class, e.action}, e.handler
		if e.limit != nil {
			h = limited(e.limit, h)
		}
		if e.scope == access.Record || strings.HasPrefix(e.path, "/emulate/") {
			h = withoutBodyDeadline(h)
		}
		for _, method := range e.methods {
			t.server.table[method+" "+e.path] = r
			t.echo.Add(method, e.path, t.server.authorized(r,
				t.server.audited(r, t.server.unlessDeleted(method, e.path, t.server.viewed(r, h)))))
		}
	}
}

// check panics if a route was registered without the table, or without a class or an action: its
// requests would be neither checked nor recorded.
func (t *routeTable) check() {
	for _, registered := range t.echo.Routes() {
		name := registered.Method + " " + registered.Path
		if r, known := t.server.table[name]; !known || !r.public && !r.any && r.scope == "" || r.action == "" {
			panic("route " + name + " has no class or no audit action")
		}
	}
}
