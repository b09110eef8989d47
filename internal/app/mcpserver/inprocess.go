package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"tapedeck/internal/apiclient"
)

// inProcess returns a client that calls the handler of the API with the credentials of a request.
func inProcess(api http.Handler, of *http.Request) *apiclient.Client {
	return &apiclient.Client{Base: &url.URL{Scheme: "http", Host: of.Host}, HTTP: &http.Client{Transport: &transport{api, of}}}
}

// transport calls a handler as if the client of a request had sent another request.
type transport struct {
	api http.Handler
	of  *http.Request
}

// forwarded are the header fields by which the API finds the principal, the tenant and the address
// of a client.
var forwarded = []string{"Authorization", "Cookie", apiclient.TenantHeader, "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "User-Agent"}

// RoundTrip implements http.RoundTripper. The handler has answered when it returns.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.Host, inner.RemoteAddr, inner.TLS, inner.RequestURI = t.of.Host, t.of.RemoteAddr, t.of.TLS, r.URL.RequestURI()
	inner.Proto, inner.ProtoMajor, inner.ProtoMinor = t.of.Proto, t.of.ProtoMajor, t.of.ProtoMinor
	inner.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	for _, name := range forwarded {
		if values := t.of.Header.Values(name); len(values) > 0 {
			inner.Header[name] = values
		}
	}
	w := &response{header: http.Header{}}
	if err := w.serve(t.api, inner); err != nil {
		return nil, err
	}
	return &http.Response{Status: http.StatusText(w.status), StatusCode: w.status, Header: w.header, Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len())}, nil
}

// responseLimit bounds an answer of the API to a tool, in bytes. A session of fifty thousand spans
// has about half of it.
const responseLimit = 64 << 20

// response holds an answer in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
	over   bool // it was larger than responseLimit
}

// errTooLarge is the error of an answer of the API beyond responseLimit.
var errTooLarge = errors.New("the session is too large for this tool: read_messages, read_frames and search_text return parts of it")

// serve calls the handler. A handler that cannot complete an answer panics with
// http.ErrAbortHandler.
func (w *response) serve(api http.Handler, r *http.Request) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("the answer to %s broke off", r.URL.Path)
		}
		if w.over {
			err = errTooLarge
		}
	}()
	api.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return nil
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len()+len(p) > responseLimit {
		w.over = true
		w.body.Reset()
		return 0, errTooLarge
	}
	return w.body.Write(p)
}
