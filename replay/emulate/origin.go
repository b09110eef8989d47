package emulate

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/schema"
	"tapedeck/schema/problem"
)

// Origin refuses pages of other sites: a browser lets any page ask anything of
// anywhere, and tells where the page is from. Programs send no Origin. The error
// is a *problem.Problem.
func (s *Stage) Origin(r *http.Request) error {
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
		Detail: fmt.Sprintf("Pages from %q may not read recordings here.", origin),
		Hint:   "Allow the origin in the server's settings.",
	}
}

// CrossOrigin lets the page that asks read the answer, whichever origin the
// recorded answer was for. Origin has let it in.
func CrossOrigin(h http.Header, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Add("Vary", "Origin")
}

// Preflight answers the question of a browser whether a page may ask, and
// reports whether the request was one.
func Preflight(w http.ResponseWriter, r *http.Request) bool {
	method := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || method == "" || r.Header.Get("Origin") == "" {
		return false
	}
	h := w.Header()
	CrossOrigin(h, r)
	h.Set("Access-Control-Allow-Methods", method)
	if fields := r.Header.Get("Access-Control-Request-Headers"); fields != "" {
		h.Set("Access-Control-Allow-Headers", fields)
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// positionAt is before all positions of one time, and never the zero position,
// which stands for the start of a tape.
func positionAt(at int64) schema.Position { return schema.Position{At: max(at, 1)} }
