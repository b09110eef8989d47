package origin

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"tapedeck/internal/problem"
)

// Hosts are the names that a server answers to beside those of loopback, without a
// port. A page could otherwise have its own name resolve to 127.0.0.1, and then
// read everything as a page of the same origin (DNS rebinding).
type Hosts []string

// Check returns a problem for a request to another host name, nil for others. hint says
// what to do.
func (names Hosts) Check(r *http.Request, hint string) *problem.Problem {
	host := hostname(r.Host)
	if loopback(host) || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) }) {
		return nil
	}
	refused.WithLabelValues("Host").Inc()
	return &problem.Problem{
		Title: "Host not served", Status: http.StatusMisdirectedRequest, Parameter: "Host", Allowed: names,
		Detail: fmt.Sprintf("This server answers to loopback names only, not to %q.", r.Host), Hint: hint,
	}
}

// hostname returns a host without port and brackets.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
