package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/mcpserver"
)

// mcpWait is how long a request of the Model Context Protocol waits for others to end: agents call
// several tools at once.
const mcpWait = 20 * time.Second

// mcpRoutes adds the route of the Model Context Protocol. Its tools call the routes of the API with
// the credential of the request, which check and record each of them.
func (s *Server) mcpRoutes(rt *routeTable) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) })
	tools := mcpserver.Handler(tapedeck.Version(), api)
	rt.add([]row{{reads, audit.None, post, mcpserver.Path, nil, only(func(c echo.Context) error {
		ctx := c.Request().Context()
		leave, err := s.Concurrency.MCPRequests.EnterWithin(ctx, access.Tenant(ctx), mcpWait)
		if err != nil {
			return err
		}
		defer leave()
		tools.ServeHTTP(c.Response(), c.Request())
		return nil
	})}})
}
