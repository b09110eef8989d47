package server

import (
	"strconv"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/tracing"
)

// untraced are the routes that probes and scrapers request at short intervals.
var untraced = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// traced is middleware that records a request as a span, as a child of the client's span if the
// request names one. The span has the pattern of the route and the status; it does not have the
// path and the query, which may contain tickets and ids.
func (s *Server) traced(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !tracing.On() || untraced[r.URL.Path] {
			return next(c)
		}
		method := methodLabel(r.Method)
		ctx, span := tracing.Begin(tracing.Extract(r.Context(), r.Header), method,
			trace.WithSpanKind(trace.SpanKindServer))
		c.SetRequest(r.WithContext(ctx))
		defer func() { // runs even if a handler aborts the answer by a panic
			route, status := routeLabel(c), c.Response().Status
			span.SetName(method + " " + route)
			span.SetAttributes(attribute.String("http.request.method", method),
				attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
			if status >= 500 {
				span.SetStatus(codes.Error, "")
				span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
			}
			span.End()
		}()
		return next(c)
	}
}
