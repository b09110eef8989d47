package main

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/dashboards"
)

// uiPaths are the page's addresses and what it loads. All else that nobody
// serves is told so in the API's way, and to a browser on a page.
var uiPaths = []string{"/", "/sessions/*", "/usage", "/tools", "/record", "/assets/*", "/icon.svg"}

func (s *server) uiRoutes(e *echo.Echo) {
	s.ui = dashboards.New()
	for _, path := range uiPaths {
		get(e, path, echo.WrapHandler(s.ui))
	}
}

// wantsPage reports whether a request is somebody's who typed an address.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.Header.Get("Accept"), "text/html")
}
