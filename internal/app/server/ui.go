package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/dashboards"
	"tapedeck/internal/app/auth/audit"
)

// uiPaths are the addresses of the pages and of the files that they load. Other addresses without a
// route are answered with a problem, which a browser receives as a page.
var uiPaths = []string{"/", "/sessions/*", "/usage", "/usage/reconciliation", "/bills", "/prices", "/tools",
	"/calls", "/search", "/compare", "/retention", "/record", "/audit", "/login", "/access", "/share",
	"/assets/*"}

func (s *Server) uiRoutes(rt *routeTable) {
	s.ui = dashboards.New()
	for _, path := range uiPaths {
		rt.add([]row{{public, audit.None, getHead, path, nil, echo.WrapHandler(s.ui)}}) // the program, without data
	}
}

// wantsPage reports whether a browser requests a page.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.Header.Get("Accept"), "text/html")
}
