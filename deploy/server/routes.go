package server

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tapedeck/ingest"
	"tapedeck/internal/problem"
	"tapedeck/query"
)

// tenantHandler is a handler for the data of a tenant.
type tenantHandler func(w http.ResponseWriter, r *http.Request, tenant string)

// sessionHandler is a handler for a session of a tenant.
type sessionHandler func(w http.ResponseWriter, r *http.Request, tenant, session string)

// routes maps addresses to handlers. Only this file depends on echo: the handlers
// receive net/http types and plain arguments.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = s.answerError
	e.Pre(s.requests.count, localOnly)
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
		s.Log.Error("a handler panicked", "path", c.Request().URL.Path, "error", err, "stack", string(stack))
		return err
	}}))

	e.Use(noForeignPages, noSniffing)

	get(e, "/healthz", only(plain(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })))
	get(e, "/readyz", only(plain(s.serveReady)))
	get(e, "/metrics", only(echo.WrapHandler(promhttp.HandlerFor(prometheus.Gatherers{prometheus.DefaultGatherer, s.metrics}, promhttp.HandlerOpts{}))))
	get(e, "/openapi.yaml", only(plain(serveOpenAPI)))
	e.GET("/debug/pprof/:profile", only(s.serveProfile, "seconds", "debug", "gc"))
	get(e, "/v1/dead-letters", only(plain(s.Node.DeadLetters.ServeList), "limit", "cursor"))
	e.POST("/v1/dead-letters/retry", only(plain(s.Node.DeadLetters.ServeRetry), "seq"))
	e.DELETE("/v1/dead-letters", only(plain(s.Node.DeadLetters.ServeDrop), "seq"))
	if s.Node.Recorder != nil {
		s.ingestRoutes(e)
	}
	if s.Node.DB != nil {
		s.readRoutes(e)
		s.uiRoutes(e)
	}
	return e
}

// get registers a handler for GET and HEAD. net/http omits the body of answers to
// HEAD.
func get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}

func plain(h http.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h(c.Response(), c.Request())
		return nil
	}
}

// only refuses query parameters other than the known ones, for handlers that do not
// check for unknown ones.
func only(h echo.HandlerFunc, known ...string) echo.HandlerFunc {
	return func(c echo.Context) error {
		if bad := problem.UnknownParameter(c.QueryParams(), known...); bad != nil {
			return bad
		}
		return h(c)
	}
}

func forTenant(h tenantHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		h(c.Response(), c.Request(), ingest.DefaultTenant)
		return nil
	}
}

func forSession(h sessionHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Param("id")
		if c.Request().URL.RawPath != "" { // else the path was matched unescaped
			var err error
			if id, err = url.PathUnescape(id); err != nil {
				return problem.BadParameter("id", "the session id in the path is not escaped as URLs are: "+err.Error())
			}
		}
		h(c.Response(), c.Request(), ingest.DefaultTenant, id)
		return nil
	}
}

// forFrame is forSession for one frame, whose position needs no escapes.
func forFrame(h func(w http.ResponseWriter, r *http.Request, tenant, session, position string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		return forSession(func(w http.ResponseWriter, r *http.Request, tenant, session string) {
			h(w, r, tenant, session, c.Param("position"))
		})(c)
	}
}

// forBill is for the bill with a number.
func forBill(h func(w http.ResponseWriter, r *http.Request, tenant, number string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		h(c.Response(), c.Request(), ingest.DefaultTenant, c.Param("number"))
		return nil
	}
}

// forModel is for the prices of a model, and of one provider if the path names one.
func forModel(h func(w http.ResponseWriter, r *http.Request, tenant, provider, model string)) echo.HandlerFunc {
	return func(c echo.Context) error {
		names := []string{c.Param("provider"), c.Param("model")}
		if c.Request().URL.RawPath != "" { // else the path was matched unescaped
			for i := range names {
				var err error
				if names[i], err = url.PathUnescape(names[i]); err != nil {
					return problem.BadParameter("model", "the model in the path is not escaped as URLs are: "+err.Error())
				}
			}
		}
		h(c.Response(), c.Request(), ingest.DefaultTenant, names[0], names[1])
		return nil
	}
}

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(query.OpenAPI) // the client has left
}

// answerError answers with every error of a handler as a problem (RFC 9457).
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
		p, known = &problem.Problem{Status: he.Code, Detail: notServed(he.Code, c.Request())}, true
	}
	if !known {
		s.Log.Error("request failed", "path", c.Request().URL.Path, "error", err)
	}
	problem.Write(c.Response(), p)
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
