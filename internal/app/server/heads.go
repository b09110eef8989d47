package server

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
)

// boundedHeads refuses requests whose header is larger than the limit. net/http, which reads the
// header, refuses headers of twice the limit with an answer of its own, which no handler sees.
func (s *Server) boundedHeads(next echo.HandlerFunc) echo.HandlerFunc {
	most := cmp.Or(s.Headers.Bytes, DefaultHeaderBytes)
	return func(c echo.Context) error {
		r := c.Request()
		s.heads.Arrived(r)
		if n := headSize(r); n > most {
			return tooLargeHead(n, most)
		}
		return next(c)
	}
}

func tooLargeHead(n, most int) *problem.Problem {
	p := quota.Exceeded("max-header-bytes", access.AllTenants,
		fmt.Sprintf("The head of the request has %d bytes, the limit is %d.", n, most))
	p.Title, p.Status, p.RetryAfter = "Head too large", http.StatusRequestHeaderFieldsTooLarge, 0
	p.Hint = "Send fewer cookies and fields, or a shorter address. The server's limit is --max-header-bytes."
	return p
}

// headSize returns the bytes of a request's line and header fields in HTTP/1.1.
func headSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Host) + 24
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + 4
		}
	}
	return n
}
