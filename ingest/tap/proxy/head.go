package proxy

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tapedeck/ingest/redact"
)

// heads writes heads for recording. It masks values that are secret by their names.
type heads struct{ *redact.ByName }

func newHeads(opts *Options) heads {
	var keep []string
	if opts.SessionHeader != "" {
		keep = []string{opts.SessionHeader} // the name of the session is chosen by the user and is not a secret
	}
	return heads{redact.NewByName(opts.Redact, keep, opts.Recorder != nil && !opts.Recorder.Redacts())}
}

// decodedField is added to the head of a body that is recorded decoded.
const decodedField = "Tapedeck-Decoded"

// requestHead returns the head of a request for recording, as the client sent it.
func (x heads) requestHead(r *http.Request, decoded string) []byte {
	b := append([]byte(nil), r.Method...)
	b = append(append(b, ' '), x.URL(r.RequestURI)...)
	b = append(append(append(b, ' '), r.Proto...), "\r\n"...)
	b = appendField(b, "Host", r.Host)
	return x.appendRest(b, r.Header, r.TransferEncoding, r.Trailer, decoded)
}

// responseHead returns the head of a response for recording, as the upstream sent it.
func (x heads) responseHead(res *http.Response, decoded string) []byte {
	b := append([]byte(nil), res.Proto...)
	b = append(append(append(b, ' '), res.Status...), "\r\n"...)
	return x.appendRest(b, res.Header, res.TransferEncoding, res.Trailer, decoded)
}

// informationalHead returns the head of a 1xx response.
func (x heads) informationalHead(code int, h http.Header) []byte {
	b := append([]byte("HTTP/1.1 "), strconv.Itoa(code)...)
	b = append(append(append(b, ' '), http.StatusText(code)...), "\r\n"...)
	return x.appendRest(b, h, nil, nil, "")
}

// trailers returns the trailers of a body for recording.
func (x heads) trailers(h http.Header) []byte { return x.appendRest(nil, h, nil, nil, "") }

// appendRest appends the header fields, including those that net/http stores separately,
// and the blank line.
func (x heads) appendRest(b []byte, h http.Header, coding []string, trailer http.Header, decoded string) []byte {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			b = appendField(b, name, x.Field(name, v))
		}
	}
	if len(coding) > 0 {
		b = appendField(b, "Transfer-Encoding", strings.Join(coding, ", "))
	}
	if len(trailer) > 0 {
		b = appendField(b, "Trailer", strings.Join(slices.Sorted(maps.Keys(trailer)), ", "))
	}
	if decoded != "" {
		b = appendField(b, decodedField, decoded)
	}
	return append(b, "\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(append(b, name...), ": "...)
	return append(append(b, value...), "\r\n"...)
}
