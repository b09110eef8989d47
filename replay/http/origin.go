package replayhttp

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/schema/problem"
)

// checkOrigin refuses pages of other sites: a browser lets any page open a
// WebSocket to anywhere, and tells only where the page is from (RFC 6455,
// section 10.2). Programs send no Origin.
func (s *Server) checkOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.opts.Origins, "*") || slices.ContainsFunc(s.opts.Origins, func(o string) bool {
		return strings.EqualFold(o, origin)
	}) {
		return nil
	}
	if u, err := url.Parse(origin); err == nil && len(s.opts.Origins) == 0 {
		if strings.EqualFold(u.Host, r.Host) || loopback(u.Hostname()) {
			return nil
		}
	}
	return &problem.Problem{
		Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Origin", Allowed: s.opts.Origins,
		Detail: fmt.Sprintf("Pages from %q may not open this WebSocket.", origin),
		Hint:   "Allow the origin in the server's settings.",
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
