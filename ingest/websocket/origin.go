package websocket

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"tapedeck/schema/problem"
)

// checkOrigin refuses pages of other sites: a browser lets any page open a
// WebSocket to anywhere, and tells only where the page is from (RFC 6455,
// section 10.2). Programs send no Origin.
func (h *Handler) checkOrigin(r *http.Request) *problem.Problem {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); err == nil {
		if strings.EqualFold(u.Host, r.Host) {
			return nil
		}
		for _, pattern := range h.opts.OriginPatterns {
			if ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(u.Host)); ok && err == nil {
				return nil
			}
		}
	}
	return &problem.Problem{
		Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Origin", Allowed: h.opts.OriginPatterns,
		Detail: fmt.Sprintf("Pages from %q may not open this WebSocket.", origin),
		Hint:   "Open it from a page of this server, or from a program, which sends no Origin.",
	}
}
