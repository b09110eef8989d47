package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/problem"
	"tapedeck/query/session/sessionframes"
)

// shareRoutes adds the routes for managing links.
func (s *Server) shareRoutes(rt *routeTable) {
	h := &share.Handler{Store: s.Shares, Library: s.tapes}
	if s.Logins != nil {
		h.Public = s.Logins.Settings.Public
	}
	s.views = share.NewViews(s.tapes.Fresh(), s.Node.Redaction)
	rt.add([]row{
		{readsRaw, audit.None, getHead, "/v1/shares", nil, only(plain(h.ServeList), "session")},
		{readsRaw, audit.ShareCreate, post, "/v1/shares", nil, only(plain(h.ServeCreate))},
		{readsRaw, audit.ShareRevoke, del, "/v1/shares/:id", nil, only(func(c echo.Context) error {
			h.ServeRevoke(c.Response(), c.Request(), c.Param("id"))
			return nil
		})},
	})
}

// shared returns a class whose routes also accept a shared link, for its session.
func shared(c class) class {
	c.shared = true
	return c
}

// errNotShared returns the answer to a shared link's request for anything but its session. It is
// the same whether or not the requested thing exists.
func errNotShared() *problem.Problem {
	return problem.NotFound("The shared link opens nothing here.")
}

// notShared returns a problem for a request by a shared link that is not about the link's session.
func notShared(c echo.Context, r route, p *access.Principal) *problem.Problem {
	if !r.shared {
		return errNotShared()
	}
	if r.any {
		return nil
	}
	id := c.Param("id")
	if c.Request().URL.RawPath != "" {
		var err error
		if id, err = url.PathUnescape(id); err != nil {
			return errNotShared()
		}
	}
	if id != p.Share.Shown().Session {
		return errNotShared()
	}
	if id != p.Share.Session {
		setParam(c, "id", p.Share.Session)
	}
	return nil
}

// viewed is middleware that limits a session to what a shared link shows: its span, with secrets
// masked.
func (s *Server) viewed(r route, next echo.HandlerFunc) echo.HandlerFunc {
	if !r.shared || r.any {
		return next
	}
	return func(c echo.Context) error {
		p := access.From(c.Request().Context())
		if p == nil || p.Kind != access.KindShare {
			return next(c)
		}
		query := c.QueryParams()
		switch path := c.Path(); {
		case strings.HasSuffix(path, "/replay"):
			if query.Get("mode") != "cue" { // other modes contain frames
				return errNotShared()
			}
			return next(c)
		case query.Has("raw"):
			return errNotShared()
		}
		names, err := s.views.Names(c.Request().Context(), p.Share, access.Tenant(c.Request().Context()))
		if err != nil {
			return err
		}
		ctx := sessionframes.WithView(c.Request().Context(), s.views.Of(p, access.Tenant(c.Request().Context())))
		r := c.Request().WithContext(ctx)
		if names != nil {
			to := *r.URL
			to.RawQuery = names.Find(to.RawQuery)
			r.URL = &to
			setParam(c, "position", names.Find(c.Param("position")))
		}
		c.SetRequest(r)
		// Their secrets are masked already.
		frames := strings.HasSuffix(c.Path(), "/frames") || strings.HasSuffix(c.Path(), "/:position")
		if frames && names == nil {
			return next(c)
		}
		return s.rewritten(c, p, names, !frames, next)
	}
}

// setParam replaces a parameter of a request's path.
func setParam(c echo.Context, name, value string) {
	values := slices.Clone(c.ParamValues())
	if i := slices.Index(c.ParamNames(), name); i >= 0 {
		values[i] = value
	}
	c.SetParamValues(values...)
}

// rewriteLimit bounds an answer that is rewritten, bytes.
const rewriteLimit = 64 << 20

// rewritten writes a handler's answer as a shared link shows it: with replaced ids, and with
// secrets masked if the answer has facts.
func (s *Server) rewritten(c echo.Context, p *access.Principal, names *share.Names, facts bool, next echo.HandlerFunc) error {
	to := c.Response().Writer
	held := &heldAnswer{header: to.Header(), status: http.StatusOK}
	c.Response().Writer = held
	err := next(c)
	c.Response().Writer = to
	if err != nil {
		return err
	}
	c.Response().Committed = false
	c.Response().Size = 0
	if held.body.Len() > rewriteLimit {
		return &problem.Problem{Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("This part of the session has more than %d bytes.", rewriteLimit),
			Hint:   "Ask for a link to a span of the session."}
	}
	body := held.body.Bytes()
	if facts && held.status == http.StatusOK && len(body) > 0 {
		var ok bool
		if body, ok, err = s.views.Rewrite(p.Share, body); err != nil {
			return fmt.Errorf("rewrite an answer for a shared link: %w", err)
		}
		if !ok {
			return problem.NotFound(fmt.Sprintf("There is no session %q.", p.Share.Shown().Session))
		}
	}
	to.Header().Del("Content-Length")
	to.Header().Del("ETag")
	c.Response().WriteHeader(held.status)
	_, err = io.WriteString(c.Response(), names.Show(string(body)))
	return err
}

// heldAnswer buffers the body of an answer.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *heldAnswer) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *heldAnswer) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *heldAnswer) Write(p []byte) (int, error) {
	if h.body.Len() > rewriteLimit {
		return len(p), nil // the answer is refused
	}
	return h.body.Write(p)
}
