// Package origin refuses what pages of other sites ask. A browser lets any page
// open a WebSocket to anywhere, and ask anything of anywhere, and tells only where
// the page is from (RFC 6455, section 10.2). Programs send no Origin.
package origin

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/schema/problem"
)

// Rule says which pages may ask. Those of the server itself may, if none are
// allowed by name.
type Rule struct {
	// Allowed are origins such as https://ui.example.com, or * for all.
	Allowed []string
	// Local has the pages of the machine that the browser runs on be allowed too,
	// whatever their port, if none are by name.
	Local bool
}

// Check gives why a request is refused, nil if it is not. may is what its page may
// not do, such as "open this WebSocket".
func (rule Rule) Check(r *http.Request, may string) *problem.Problem {
	from := r.Header.Get("Origin")
	if from == "" || rule.allows(from, r.Host) {
		return nil
	}
	return &problem.Problem{
		Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Origin", Allowed: rule.Allowed,
		Detail: fmt.Sprintf("Pages from %q may not %s.", from, may),
		Hint:   "Ask from a page of this server, or from a program, which sends no Origin.",
	}
}

func (rule Rule) allows(from, host string) bool {
	if len(rule.Allowed) > 0 {
		return slices.ContainsFunc(rule.Allowed, func(o string) bool { return o == "*" || strings.EqualFold(o, from) })
	}
	u, err := url.Parse(from)
	return err == nil && (strings.EqualFold(u.Host, host) || rule.Local && loopback(u.Hostname()))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
