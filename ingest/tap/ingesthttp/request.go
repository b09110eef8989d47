package ingesthttp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/problem"
)

// request is a parsed request.
type request struct {
	stream   ingest.StreamOptions
	encoding string // "" for none
	digest   string // expected SHA-256 of the body, in hexadecimal; "" if the client sent none
	again    bool   // record the body even if there is a recording of these bytes
	key      string // "" for none
	offset   uint64 // of the body's first byte in the stream of the key
}

// Media types and encodings that error messages suggest; aliases are accepted as well.
var (
	allowedTypes     = []string{"application/x-ndjson", "text/event-stream", "application/vnd.amazon.eventstream"}
	allowedEncodings = []string{"gzip", "zstd"}
)

func readRequest(r *http.Request, tenant string) (*request, *problem.Problem) {
	q := r.URL.Query()
	if bad := problem.UnknownParameter(q, "session", "dialect", "tag", "digest", "again", "clock"); bad != nil {
		return nil, bad
	}
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
	so.Digest = true
	bad := setClock(so, q)
	if bad != nil {
		return nil, bad
	}
	if ask.digest, ask.again, bad = readDigest(q); bad != nil {
		return nil, bad
	}
	media := r.Header.Get("Content-Type")
	transport, ok := copier.ByContentType(media)
	if !ok {
		return nil, unsupported("Content-Type", media, allowedTypes)
	}
	so.Transport = transport
	ask.encoding, ok = encoding(r.Header.Values("Content-Encoding"))
	if !ok {
		return nil, unsupported("Content-Encoding", strings.Join(r.Header.Values("Content-Encoding"), ", "),
			allowedEncodings)
	}
	if bad := ask.readKey(r); bad != nil {
		return nil, bad
	}
	return ask, nil
}

// setClock reads the parameter clock: where arrival times come from.
func setClock(so *ingest.StreamOptions, q url.Values) *problem.Problem {
	switch v := q.Get("clock"); v {
	case "frame":
		so.FrameClock, so.IfTimed = true, true
	case "", "arrival":
	default:
		return problem.BadParameter("clock", fmt.Sprintf("clock %q is unknown", v), "arrival", "frame")
	}
	return nil
}

// readDigest reads the parameters digest and again.
func readDigest(q url.Values) (digest string, again bool, bad *problem.Problem) {
	digest = strings.ToLower(q.Get("digest"))
	if _, err := hex.DecodeString(digest); digest != "" && (err != nil || len(digest) != sha256.Size*2) {
		return "", false, problem.BadParameter("digest", fmt.Sprintf("digest %q is not a SHA-256", digest),
			"64 hexadecimal digits")
	}
	switch v := q.Get("again"); v {
	case "1", "true":
		again = true
	case "", "0", "false":
	default:
		return "", false, problem.BadParameter("again", fmt.Sprintf("again %q is neither on nor off", v), "1", "0")
	}
	return digest, again, nil
}

// encoding reads the Content-Encoding, "" for none; combinations of several are not
// supported.
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
		p.Detail = fmt.Sprintf("The request has no %s header, so the format of its body is not known.", header)
	}
	return p
}
