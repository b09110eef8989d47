package server

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
	"tapedeck/query"
)

// tenantHandler is a handler for the data of a tenant.
type tenantHandler func(w http.ResponseWriter, r *http.Request, tenant string)

// sessionHandler is a handler for a session of a tenant.
type sessionHandler func(w http.ResponseWriter, r *http.Request, tenant, session string)

// routes maps addresses to handlers. Handlers of other packages do not depend on echo: they receive
// net/http types and plain arguments.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = s.clientAddress
	e.HTTPErrorHandler = s.answerError
	e.Pre(s.traced, s.requests.count, s.bodyDeadline, s.boundedHeads, s.servedHosts, s.preflights)
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
		s.Log.Error("server: a handler panicked", "path", c.Request().URL.Path, "error", err, "stack", string(stack))
		return err
	}}))

	e.Use(s.noForeignPages, identified, notStored, noSniffing, s.onlyEncrypted, readableQueries)

	rt := &routeTable{s, e}
	rt.add([]row{
		{public, audit.None, getHead, "/healthz", nil, only(plain(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }))},
		{public, audit.None, getHead, "/readyz", nil, only(plain(s.serveReady))},
		{operates, audit.None, getHead, "/metrics", nil,
			only(echo.WrapHandler(promhttp.HandlerFor(prometheus.Gatherers{prometheus.DefaultGatherer,
				s.metrics}, promhttp.HandlerOpts{
				ErrorHandling: promhttp.ContinueOnError, // one failing collector does not hide the others
				ErrorLog:      metricsLog{s.Log},
			})))},
		{public, audit.None, getHead, "/openapi.yaml", nil, only(plain(serveOpenAPI))},
		{operates, audit.ProfileRead, get, "/debug/pprof/:profile", nil, only(s.serveProfile, "seconds", "debug", "gc")},
		{admins, audit.DeadLettersRead, getHead, "/v1/dead-letters", nil, only(s.letters((*deadletters.Store).ServeList), "limit", "cursor")},
		{admins, audit.DeadLetterRetry, post, "/v1/dead-letters/retry", nil, only(s.letters((*deadletters.Store).ServeRetry), "seq")},
		{admins, audit.DeadLetterDrop, del, "/v1/dead-letters", nil, only(s.letters((*deadletters.Store).ServeDrop), "seq")},
	})
	s.tokenRoutes(rt)
	s.loginRoutes(rt)
	if s.Node.Recorder != nil {
		s.ingestRoutes(rt)
	}
	if s.Node.DB != nil {
		s.readRoutes(rt)
		s.uiRoutes(rt)
	}
	rt.check()
	return e
}

func plain(h http.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h(c.Response(), c.Request())
		return nil
	}
}

// only refuses query parameters other than the known ones, for handlers that do not check this.
func only(h echo.HandlerFunc, known ...string) echo.HandlerFunc {
	return func(c echo.Context) error {
		if bad := problem.UnknownParameter(c.QueryParams(), known...); bad != nil {
			return bad
		}
		return h(c)
	}
}

// notEmulated reports whether a request is for the server itself. Other requests receive the answer
// of the recorded application, byte for byte.
func notEmulated(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, emulated) && !strings.HasPrefix(r.URL.Path, "/api/v0/")
}

// readableQueries refuses queries that cannot be parsed: the remaining parameters alone would
// silently have another effect. Recorded applications have queries of their own.
func readableQueries(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !notEmulated(c.Request()) {
			return next(c)
		}
		if _, err := url.ParseQuery(c.Request().URL.RawQuery); err != nil {
			return problem.BadParameter("", "The query of the URL cannot be read: "+err.Error())
		}
		return next(c)
	}
}

// tenant returns the tenant of a request.
func tenant(c echo.Context) (string, error) {
	name := access.Tenant(c.Request().Context())
	if name == "" {
		return "", errors.New("the request has no tenant") // its route is public
	}
	return name, nil
}

func forTenant(h tenantHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		tenant, err := tenant(c)
		if err != nil {
			return err
		}
		h(c.Response(), c.Request(), tenant)
		return nil
	}
}

func forSession(h sessionHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := sessionOf(c)
		if err != nil {
			return problem.BadParameter("id", "the session id in the path is not escaped as URLs are: "+err.Error())
		}
		tenant, err := tenant(c)
		if err != nil {
			return err
		}
		h(c.Response(), c.Request(), tenant, id)
		return nil
	}
}

// emulated begins the paths of emulated servers.
const emulated = "/emulate/"

// sessionOf returns the session that the path of a request names. Below /emulate/ settings may follow its name,
// as in "/emulate/demo;speed=max/path".
func sessionOf(c echo.Context) (string, error) {
	if strings.HasPrefix(c.Path(), emulated) {
		segment, _, _ := strings.Cut(strings.TrimPrefix(c.Request().URL.EscapedPath(), emulated), "/")
		name, _, _ := strings.Cut(segment, ";")
		return url.PathUnescape(name)
	}
	if c.Request().URL.RawPath == "" { // the path was matched unescaped
		return c.Param("id"), nil
	}
	return url.PathUnescape(c.Param("id"))
}

// forFrame is like forSession for one frame, whose position needs no escapes.
func forFrame(h func(w http.ResponseWriter, r *http.Request, tenant, session, position string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		return forSession(func(w http.ResponseWriter, r *http.Request, tenant, session string) {
			h(w, r, tenant, session, c.Param("position"))
		})(c)
	}
}

// forNote is like forSession for one note, whose id needs no escapes.
func forNote(h func(w http.ResponseWriter, r *http.Request, tenant, session, note string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		return forSession(func(w http.ResponseWriter, r *http.Request, tenant, session string) {
			h(w, r, tenant, session, c.Param("note"))
		})(c)
	}
}

// forLabel is like forSession for one label.
func forLabel(h func(w http.ResponseWriter, r *http.Request, tenant, session, label string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		label := c.Param("label")
		if c.Request().URL.RawPath != "" { // otherwise the path was matched unescaped
			var err error
			if label, err = url.PathUnescape(label); err != nil {
				return problem.BadParameter("label", "the label in the path is not escaped as URLs are: "+err.Error())
			}
		}
		return forSession(func(w http.ResponseWriter, r *http.Request, tenant, session string) {
			h(w, r, tenant, session, label)
		})(c)
	}
}

// authorOf returns the name of the sender of a request, as notes have it.
func authorOf(r *http.Request) string {
	if p := access.From(r.Context()); p != nil {
		return p.Name
	}
	return ""
}

// forBill wraps a handler for the bill with a number.
func forBill(h func(w http.ResponseWriter, r *http.Request, tenant, number string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		tenant, err := tenant(c)
		if err != nil {
			return err
		}
		h(c.Response(), c.Request(), tenant, c.Param("number"))
		return nil
	}
}

// forModel wraps a handler for the prices of a model; for one provider only, if the path names a
// provider.
func forModel(h func(w http.ResponseWriter, r *http.Request, tenant, provider, model string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		names := []string{c.Param("provider"), c.Param("model")}
		if c.Request().URL.RawPath != "" { // otherwise the path was matched unescaped
			for i := range names {
				var err error
				if names[i], err = url.PathUnescape(names[i]); err != nil {
					return problem.BadParameter("model",
						"the model in the path is not escaped as URLs are: "+err.Error())
				}
			}
		}
		tenant, err := tenant(c)
		if err != nil {
			return err
		}
		h(c.Response(), c.Request(), tenant, names[0], names[1])
		return nil
	}
}

// tokenRoutes adds the routes of tokens.
func (s *Server) tokenRoutes(rt *routeTable) {
	rt.add([]row{
		{admins, audit.TokenList, getHead, "/v1/tokens", nil, only(plain(s.Tokens.ServeList))},
		{admins, audit.TokenCreate, post, "/v1/tokens", nil, only(plain(s.Tokens.ServeCreate))},
		{admins, audit.TokenRevoke, del, "/v1/tokens/:id", nil, only(func(c echo.Context) error {
			s.Tokens.ServeRevoke(c.Response(), c.Request(), c.Param("id"), s.Shares)
			return nil
		})},
	})
}

// letters wraps a handler for the dead letters that the principal may see: those of its tenant, or
// all.
func (s *Server) letters(h func(*deadletters.Store, http.ResponseWriter, *http.Request)) echo.HandlerFunc {
	return func(c echo.Context) error {
		store := s.Node.DeadLetters
		if tenant := access.Reach(c.Request()); tenant != access.AllTenants {
			store = store.Of(tenant)
		}
		h(store, c.Response(), c.Request())
		return nil
	}
}

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(query.OpenAPI) // a write error means that the client has disconnected
}

// answerError answers every error of a handler as a problem (RFC 9457).
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p, known := problem.From(err)
	var he *echo.HTTPError
	if errors.As(err, &he) {
		if he.Code == http.StatusNotFound && s.ui != nil && wantsPage(c.Request()) {
			s.ui.ServeNotFound(c.Response())
			return
		}
		p, known = &problem.Problem{Status: he.Code, Detail: notServed(he.Code, c.Request()), Hint: s.servedElsewhere(c.Request())}, true
	}
	if !known {
		s.Log.Error("server: request failed", "path", c.Request().URL.Path, "error", err)
	}
	problem.Write(c.Response(), p)
}

// servedElsewhere returns which role of a server has a route that this one lacks, since its roles
// are others; "" if it has all of them.
func (s *Server) servedElsewhere(r *http.Request) string {
	path := r.URL.Path
	records := strings.HasPrefix(path, "/v1/ingest") ||
		slices.Contains([]string{"/v1/blocks", "/v1/import", "/v1/traces", "/v1/logs", "/v1/metrics"}, path) || slices.Contains(grpcMethods, path)
	switch {
	case !records && !strings.HasPrefix(path, "/v1/"), records && s.Node.Recorder != nil, !records && s.Node.DB != nil:
		return ""
	case records:
		return "This server does not have the role ingest: name one that has by --record-server or TAPEDECK_RECORD_SERVER."
	}
	return "This server does not have the role api: name one that has by --server or TAPEDECK_SERVER."
}

func notServed(status int, r *http.Request) string {
	switch status {
	case http.StatusNotFound:
		return "Nothing is served at " + r.URL.Path + ". The routes are listed in /openapi.yaml."
	case http.StatusMethodNotAllowed:
		return r.URL.Path + " does not take " + r.Method + ". The routes are listed in /openapi.yaml."
	}
	return ""
}
