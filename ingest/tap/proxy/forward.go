package proxy

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"strings"
	"sync"

	"tapedeck/schema"
)

// rewrite builds the request to the upstream.
func (p *Proxy) rewrite(pr *httputil.ProxyRequest) {
	out := pr.Out
	out.URL = p.upstreamURL(pr.In)
	out.Host = p.upstream.Host
	if p.opts.forward {
		out.Host = pr.In.Host // as the client has signed it
	}
	out.Trailer = pr.In.Trailer // the same map: its values arrive after the body
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := pr.In.Header[name]; ok {
			out.Header[name] = append([]string(nil), v...)
		}
	}
	if p.opts.Forwarded {
		pr.SetXForwarded()
	}
	switch user := p.upstream.User; {
	case out.Header.Get("Authorization") != "":
	case p.opts.Authorization != "":
		out.Header.Set("Authorization", p.opts.Authorization)
	case user != nil:
		password, _ := user.Password()
		out.SetBasicAuth(user.Username(), password)
	}
	ex := exchangeOf(out)
	if out.Body == nil {
		_ = ex.end(schema.Send, true) // an empty body is never refused for lack of room
	} else {
		in := pr.In
		out.Body = &tappedBody{
			ReadCloser: out.Body, exchange: ex, way: schema.Send, from: "the client",
			trailers: func() http.Header { return in.Trailer },
		}
	}
}

// target returns the path and the query for the upstream: the client's, after the
// upstream's own path.
func (p *Proxy) target(in *http.Request) (path, query string) {
	path, query, _ = strings.Cut(in.RequestURI, "?")
	if !strings.HasPrefix(path, "/") && path != "*" { // the client sent an absolute URL
		path = in.URL.EscapedPath()
	}
	if path == "*" {
		return path, query
	}
	return strings.TrimSuffix(p.upstream.EscapedPath(), "/") + path, query
}

// upstreamURL returns the URL of a forwarded request.
func (p *Proxy) upstreamURL(in *http.Request) *url.URL {
	path, query := p.target(in)
	u := &url.URL{Scheme: p.upstream.Scheme, Host: p.upstream.Host, RawQuery: query, ForceQuery: in.URL.ForceQuery}
	u.Path, u.RawPath = strings.TrimSuffix(p.upstream.Path, "/")+in.URL.Path, path
	if u.EscapedPath() != path && !strings.HasPrefix(path, "//") {
		u.Path, u.RawPath, u.Opaque = "", "", path // Opaque is sent unchanged
	}
	return u
}

// tapped is the transport of the reverse proxy.
type tapped struct{ proxy *Proxy }

// RoundTrip implements http.RoundTripper.
func (t tapped) RoundTrip(r *http.Request) (*http.Response, error) {
	ex := exchangeOf(r)
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		return ex.note(schema.Receive, t.proxy.redact.informationalHead(code, http.Header(h)))
	}}
	res, err := t.proxy.transport.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		ex.fail("upstream", err)
		return nil, err
	}
	if err := t.proxy.recordResponse(ex, res); err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// recordResponse begins to record a response.
func (p *Proxy) recordResponse(ex *exchange, res *http.Response) error {
	if conn, ok := res.Body.(io.ReadWriteCloser); ok && res.StatusCode == http.StatusSwitchingProtocols {
		ex.upgraded()
		res.Body = &tunnel{conn, ex}
		return errors.Join(
			ex.note(schema.Receive, p.redact.responseHead(res, "")),
			ex.begin(schema.Receive, p.tunnelBody(res.Header)),
			ex.begin(schema.Send, p.tunnelBody(res.Header)),
		)
	}
	b := p.newResponseBody(res.Header)
	res.Body = &tappedBody{
		ReadCloser: res.Body, exchange: ex, way: schema.Receive, from: "the upstream",
		trailers: func() http.Header { return res.Trailer },
	}
	return errors.Join(ex.note(schema.Receive, p.redact.responseHead(res, b.coding)), ex.begin(schema.Receive, b))
}

// copySize bounds the bytes that are read and written at a time.
const copySize = 32 << 10

var buffers = sync.Pool{New: func() any {
	b := make([]byte, copySize)
	return &b
}}

// copyBuffers implements httputil.BufferPool.
type copyBuffers struct{}

func (copyBuffers) Get() []byte  { return *buffers.Get().(*[]byte) }
func (copyBuffers) Put(b []byte) { buffers.Put(&b) }
