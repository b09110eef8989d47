package proxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/origin"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// Options configure the upstream and the recording. Upstream and Recorder are required; the
// zero value of another field means its default.
type Options struct {
	Upstream string // URL of the server: http or https; its path is prepended to the paths of requests
	Recorder *ingest.Recorder
	// Authorization is sent to the upstream with requests that have no such field; "" sends none.
	// It is not recorded.
	Authorization string
	// Stream holds the options that all streams share: Tenant, Session, Dialect and Tags;
	// the other fields are ignored.
	Stream ingest.StreamOptions
	// SessionHeader is a request header that names the session of its exchange. It takes precedence
	// over Stream.Session, and is forwarded.
	SessionHeader string
	FrameLimit    int // bytes; default ingest.DefaultFrameLimit

	// Hosts are the host names, besides loopback names, by which clients may address the proxy.
	// Origins are the origins, besides loopback origins, whose pages may use it: the proxy forwards
	// requests with credentials that are billed.
	Hosts   origin.Hosts
	Origins []string

	// RewriteAddresses replaces the upstream's addresses in answers by the proxy's address, so that
	// a client that follows an address stays with the proxy. The recording is not changed.
	RewriteAddresses bool
	Certificates     *tls.Config // Serve answers with TLS; nil for plain HTTP

	forward bool // the client has named the upstream with CONNECT: its Host is forwarded

	Forwarded  bool // add X-Forwarded-For, -Host and -Proto to requests
	KeepCoding bool // record bodies with a Content-Encoding undecoded
	// Redact names header fields, query parameters and members of JSON request bodies whose values
	// are replaced by "[redacted]" in recordings, in addition to the names in package secrets.
	Redact []string
	TLS    *tls.Config // for an https upstream

	Strict  bool          // delay exchanges rather than record them incompletely
	Timeout time.Duration // how long a full queue may delay an exchange, once; default 1 s, negative for not at all
	// QueueBytes and TotalBytes bound the bytes that wait to be recorded, of one exchange and of
	// all exchanges.
	QueueBytes int64 // default 8 MiB
	TotalBytes int64 // default 256 MiB

	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.FrameLimit == 0 {
		o.FrameLimit = ingest.DefaultFrameLimit
	}
	if o.Timeout == 0 {
		o.Timeout = time.Second
	}
	if o.QueueBytes == 0 {
		o.QueueBytes = 8 << 20
	}
	if o.TotalBytes == 0 {
		o.TotalBytes = 256 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// check returns an error for invalid options.
func (o Options) check() (*url.URL, error) {
	upstream, err := url.Parse(o.Upstream)
	if err != nil || upstream.Scheme != "http" && upstream.Scheme != "https" || upstream.Host == "" {
		return nil, fmt.Errorf("upstream %q is not a URL like https://api.example.com", secrets.URL(o.Upstream))
	}
	for _, from := range o.Origins {
		if u, err := url.Parse(from); from != "null" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != from) {
			return nil, fmt.Errorf("origin %q is not one like https://app.example.com", from)
		}
	}
	if o.Recorder == nil {
		return nil, errors.New("proxy: no recorder")
	}
	if o.Stream.Tenant != "" {
		if err := ingest.CheckTenant(o.Stream.Tenant); err != nil {
			return nil, err
		}
	}
	if o.Stream.Session != "" {
		if err := ingest.CheckSession(o.Stream.Session); err != nil {
			return nil, err
		}
	}
	if o.Stream.Dialect != "" {
		if _, err := dialects.ByName(o.Stream.Dialect); err != nil {
			return nil, err
		}
	}
	return upstream, nil
}

// streamOptions returns the options of the stream that records a request.
func (p *Proxy) streamOptions(r *http.Request) ingest.StreamOptions {
	path, query := p.target(r)
	if query != "" {
		path += "?" + query
	}
	so := ingest.StreamOptions{
		Tenant: p.opts.Stream.Tenant, Session: p.opts.Stream.Session,
		Dialect: p.opts.Stream.Dialect, Tags: p.opts.Stream.Tags,
		Transport: schema.HTTP, Source: r.Method + " " + p.upstream.Scheme + "://" + p.upstream.Host + p.redact.URL(path),
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		so.Transport = schema.WebSocket
	}
	if p.opts.SessionHeader == "" {
		return so
	}
	if named := r.Header.Get(p.opts.SessionHeader); named != "" {
		if p.opts.Recorder.Mask(named) != named {
			p.opts.Log.Warn("proxy: session header not used", "header", p.opts.SessionHeader, "error", ingest.ErrSecretName)
		} else if err := ingest.CheckSession(named); err != nil {
			p.opts.Log.Warn("proxy: session header not used", "header", p.opts.SessionHeader, "error", err)
		} else {
			so.Session = named
		}
	}
	return so
}
