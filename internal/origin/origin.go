// Package origin refuses requests from pages of other sites. A browser allows any page to open
// WebSockets and to send requests to any server, but it sends the origin of the page: in Origin
// (RFC 6454, RFC 6455 section 10.2) in all requests that can change state, and in Sec-Fetch-Site
// (Fetch Metadata) also in other requests. Programs send neither.
package origin

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
)

var refused = metric.CounterVec(metric.Any, "tapedeck_http_refused_pages_total",
	"Requests refused because a page of another site may have caused them, by the header that showed it.", "header")

// Rule selects the pages that may send requests. If Allowed is empty, the server's own pages may.
type Rule struct {
	// Allowed are origins such as https://ui.example.com, or * for all.
	Allowed []string
	// Local also allows pages of the machine on which the browser runs, on any port, if Allowed is
	// empty.
	Local bool
	// Also lists further allowed origins, such as https://app.example.com, or null for pages
	// without an origin.
	Also []string
	// Links allows links from any site: GET requests for a document.
	Links bool
}

// Check returns a problem for a refused request, nil for other requests. may names what the page
// may not do, such as "open this WebSocket".
func (rule Rule) Check(r *http.Request, may string) *problem.Problem {
	if from := r.Header.Get("Origin"); from != "" {
		if rule.allows(from, r.Host) {
			return nil
		}
		refused.WithLabelValues("Origin").Inc()
		return &problem.Problem{
			Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Origin", Allowed: slices.Concat(rule.Allowed, rule.Also),
			Detail: fmt.Sprintf("Pages from %q may not %s.", from, may),
			Hint:   "Ask from a page of this server, or from a program, which sends no Origin.",
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); !rule.foreign(strings.ToLower(site)) || rule.Links && isLink(r) {
		return nil
	}
	refused.WithLabelValues("Sec-Fetch-Site").Inc()
	return &problem.Problem{
		Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Sec-Fetch-Site",
		Detail: fmt.Sprintf("Pages of other sites may not %s.", may),
		Hint:   "Ask from a page of this server, or from a program, which sends no Sec-Fetch-Site.",
	}
}

// foreign reports whether a request without Origin comes from a page that may not send it.
// Sec-Fetch-Site is "none" for an address that the user typed, and "same-site" for pages on other
// ports.
func (rule Rule) foreign(site string) bool {
	switch site {
	case "", "none", "same-origin":
		return false
	case "same-site":
		return !rule.Local
	}
	return !slices.Contains(rule.Allowed, "*")
}

// isLink reports whether the browser navigates to the answer as a page.
func isLink(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.EqualFold(r.Header.Get("Sec-Fetch-Mode"),
			"navigate") && strings.EqualFold(r.Header.Get("Sec-Fetch-Dest"), "document")
}

func (rule Rule) allows(from, host string) bool {
	same := func(o string) bool { return strings.EqualFold(o, from) }
	if slices.ContainsFunc(rule.Also, same) {
		return true
	}
	if len(rule.Allowed) > 0 {
		return slices.ContainsFunc(rule.Allowed, func(o string) bool { return o == "*" || same(o) })
	}
	u, err := url.Parse(from)
	return err == nil && u.Host != "" && (strings.EqualFold(u.Host, host) || rule.Local && loopback(u.Hostname()))
}
