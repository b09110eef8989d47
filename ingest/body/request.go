package body

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/pump"
	"tapedeck/schema/problem"
)

// request is what a request asks for.
type request struct {
	stream   ingest.StreamOptions
	encoding string // "" for none
}

// What a client is told that it may send; other names are known as well.
var (
	allowedTypes     = []string{"application/x-ndjson", "text/event-stream"}
	allowedEncodings = []string{"gzip", "zstd"}
)

func readRequest(r *http.Request, tenant string) (*request, *problem.Problem) {
	q := r.URL.Query()
	ask := &request{stream: ingest.StreamOptions{
		Tenant: tenant, Session: q.Get("session"), Dialect: q.Get("dialect"), Source: "HTTP from " + r.RemoteAddr,
	}}
	so := &ask.stream
	if so.Session != "" {
		if err := ingest.CheckSession(so.Session); err != nil {
			return nil, problem.BadParameter("session", err.Error())
		}
	}
	if so.Dialect != "" {
		if _, err := dialects.ByName(so.Dialect); err != nil {
			return nil, problem.BadParameter("dialect", err.Error())
		}
	}
	for _, tag := range q["tag"] {
		key, value, ok := strings.Cut(tag, ":")
		if !ok || key == "" {
			return nil, problem.BadParameter("tag", fmt.Sprintf("tag %q is not of the form key:value", tag))
		}
		if so.Tags == nil {
			so.Tags = map[string]string{}
		}
		so.Tags[key] = value
	}
	media := r.Header.Get("Content-Type")
	transport, ok := pump.ByContentType(media)
	if !ok {
		return nil, unsupported("Content-Type", media, allowedTypes)
	}
	so.Transport = transport
	ask.encoding, ok = encoding(r.Header.Values("Content-Encoding"))
	if !ok {
		return nil, unsupported("Content-Encoding", strings.Join(r.Header.Values("Content-Encoding"), ", "), allowedEncodings)
	}
	return ask, nil
}

// encoding reads the Content-Encoding, "" for none; several on top of each
// other are not taken.
func encoding(values []string) (string, bool) {
	name := strings.ToLower(strings.TrimSpace(strings.Join(values, ",")))
	switch name {
	case "", "identity":
		return "", true
	case "x-gzip": // RFC 9110, section 8.4.1.3: equivalent
		name = "gzip"
	}
	return name, slices.Contains(allowedEncodings, name)
}

func unsupported(header, value string, allowed []string) *problem.Problem {
	p := &problem.Problem{
		Status: http.StatusUnsupportedMediaType, Parameter: header, Allowed: allowed,
		Detail: fmt.Sprintf("A body with %s %q cannot be recorded.", header, value),
		Hint:   fmt.Sprintf("Send %s with the header %s.", problem.OneOf(allowed...), header),
	}
	if value == "" {
		p.Detail = fmt.Sprintf("The request has no %s header, so it is not known how to read its body.", header)
	}
	return p
}
