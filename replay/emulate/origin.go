package emulate

import (
	"net/http"
	"slices"
	"strings"

	"tapedeck/internal/origin"
	"tapedeck/schema"
)

// Origin refuses requests from pages of other sites. The error is a *problem.Problem.
func (s *Stage) Origin(r *http.Request) error {
	if bad := (origin.Rule{Also: s.opts.Origins, Local: true}).Check(r, "read recordings here"); bad != nil {
		return bad
	}
	return nil
}

// CrossOrigin allows the requesting page to read the answer, whichever origin the
// recorded answer was for. Origin must have accepted the request.
func CrossOrigin(h http.Header, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", exposed(h))
	h.Add("Vary", "Origin")
}

// exposed lists the header fields of an answer that the page may read, since clients depend on
// recorded fields such as X-Request-Id. "*" has no effect, since the request has credentials.
// Retry-After is set later, in problems.
func exposed(h http.Header) string {
	names := []string{"Retry-After"}
	for name := range h {
		if !strings.HasPrefix(name, "Access-Control-") && name != "Set-Cookie" && name != "Retry-After" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// letRead allows the page to read a problem, unless the problem is about the page's origin. CORS
// fields that the server has already set are kept.
func (s *Stage) letRead(h http.Header, r *http.Request) {
	if h.Get("Access-Control-Allow-Origin") == "" && s.Origin(r) == nil {
		CrossOrigin(h, r)
	}
}

// Preflight answers a CORS preflight request. It returns false if the request is not one.
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

// positionAt returns a position before all positions of a time. It is never the zero position,
// which means the start of a tape.
func positionAt(at int64) schema.Position { return schema.Position{At: max(at, 1)} }
