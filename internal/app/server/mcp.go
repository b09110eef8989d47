package server

import (
	"net/http"

	"tapedeck"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/mcpserver"
)

// mcpRoutes adds the route of the Model Context Protocol. Its tools call the routes of the API with
// the credential of the request, which check and record each of them.
func (s *Server) mcpRoutes(rt *routeTable) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) })
	tools := mcpserver.Handler(tapedeck.Version(), api)
	rt.add([]row{{reads, audit.None, post, mcpserver.Path, nil, only(plain(tools.ServeHTTP))}})
}
