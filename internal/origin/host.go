package origin

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/problem"
)

// Hosts lists the host names that a server accepts besides loopback names, without a port. If all
// names were accepted, a page could make its own host name resolve to 127.0.0.1, and then read
// everything as a page of the same origin (DNS rebinding).
type Hosts []string

// Check returns a problem for a request to another host name, nil for other requests. hint is the
// hint of the problem.
func (names Hosts) Check(r *http.Request, hint string) *problem.Problem {
	host := hostname(r.Host)
	if loopback(host) || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) }) {
		return nil
	}
	refused.WithLabelValues("Host").Inc()
	served := "loopback names only"
	if len(names) > 0 {
		served = "loopback names and " + problem.OneOf(names...) + " only"
	}
	return &problem.Problem{
		Title: "Host not served", Status: http.StatusMisdirectedRequest, Parameter: "Host", Allowed: names,
		Detail: fmt.Sprintf("This server answers to %s, not to %q.", served, r.Host), Hint: hint,
	}
}

// hostname returns a host without port and brackets. It keeps a port that is not a number.
func hostname(host string) string {
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil || port == "" {
			host = h
		}
	}
	return strings.Trim(host, "[]")
}

// IsAddress reports whether a host is an IP address, with or without a port.
func IsAddress(host string) bool { return net.ParseIP(hostname(host)) != nil }

// IsLoopback reports whether a host is a loopback name or address, with or without a port.
func IsLoopback(host string) bool { return loopback(hostname(host)) }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
