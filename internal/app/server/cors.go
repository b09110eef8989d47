package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/origin"
	"tapedeck/replay/emulate"
)

// preflights lets pages of Origins read the answers of the API; credentials of the browser, such as
// cookies, are not allowed. It answers the browser's preflight requests, which have no token.
// Without tokens these pages may only read, and send recordings the requests that the recorded
// servers accepted. With tokens it also answers preflight requests of loopback pages for
// recordings, in the same way for all sessions, since the principal is not known yet.
func (s *Server) preflights(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		from := r.Header.Get("Origin")
		allowed := from != "" && slices.ContainsFunc(s.Origins, func(o string) bool { return strings.EqualFold(o, from) })
		isPreflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" && from != ""
		if len(s.Origins) > 0 {
			h.Add("Vary", "Origin")
		}
		switch {
		case allowed:
			h.Set("Access-Control-Allow-Origin", from)
			h.Set("Access-Control-Expose-Headers",
				"Retry-After, WWW-Authenticate, ETag, Content-Disposition, Upload-Offset, X-Request-Id, Tapedeck-Complete-To, Tapedeck-Waiting-Frames, Tapedeck-Missing-Shards")
			switch {
			case isPreflight && s.Tokens == nil && isRecording(r.URL.Path):
				emulate.Preflight(c.Response(), r)
				return nil
			case isPreflight:
				methods := "GET, HEAD"
				if s.Tokens != nil {
					methods = r.Header.Get("Access-Control-Request-Method")
				}
				h.Set("Access-Control-Allow-Methods", methods)
				h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
				h.Set("Access-Control-Max-Age", "600")
				return c.NoContent(http.StatusNoContent)
			}
		case isPreflight && s.Tokens != nil && isRecording(r.URL.Path) && (origin.Rule{Local: true}).Check(r, "ask this recording") == nil:
			emulate.Preflight(c.Response(), r)
			return nil
		}
		return next(c)
	}
}

// isRecording reports whether a path is served by a recording.
func isRecording(path string) bool {
	return strings.HasPrefix(path, "/emulate/") || strings.HasPrefix(path, "/api/v0/executions/") ||
		strings.HasPrefix(path, "/v1/sessions/") && strings.HasSuffix(path, "/replay")
}
