package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/certs/localca"
	"tapedeck/internal/h2c"
	"tapedeck/internal/httplog"
	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
)

// Target is a host that a forward proxy records: a name, an IP address, or *.NAME for all names
// below a name, with a port.
type Target struct {
	Host string
	Port string
}

// ParseTarget parses HOST or HOST:PORT; the port is 443 by default.
func ParseTarget(text string) (Target, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), "443"
	}
	n, err := net.LookupPort("tcp", port)
	name := strings.TrimPrefix(host, "*.")
	if _, isAddress := netip.ParseAddr(host); err != nil || n == 0 || isAddress != nil && !isHostName(name) ||
		host != name && !strings.Contains(name, ".") {
		return Target{}, fmt.Errorf("%q is not a host like api.example.com, *.example.com or api.example.com:8443", text)
	}
	return Target{Host: strings.ToLower(host), Port: port}, nil
}

func isHostName(name string) bool {
	return name != "" && len(name) <= 253 && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".") && !strings.Contains(name, "..") &&
		!strings.ContainsFunc(name, func(c rune) bool { return c >= 0x80 || !isWord(byte(c)) && c != '-' && c != '.' && c != '_' })
}

// matches reports whether the target is a host with a port. A wildcard matches no address.
func (t Target) matches(host, port string) bool {
	if t.Port != port {
		return false
	}
	if below, ok := strings.CutPrefix(t.Host, "*"); ok {
		return isHostName(host) && strings.HasSuffix(host, below) && len(host) > len(below)
	}
	return t.Host == host
}

// maxHosts bounds the hosts that wildcards have matched.
const maxHosts = 256

// ForwardProxy is a recording proxy for clients that send CONNECT, as they do for https addresses
// with HTTPS_PROXY. It answers the client's TLS handshake itself, with a certificate of an
// authority that the client must trust. It forwards the requests in the connection to the host that
// the client named, with the same Host, so that signatures over the head and the body stay valid.
// Hosts that are not among its targets are refused.
type ForwardProxy struct {
	opts      Options
	targets   []Target
	authority *localca.Authority

	conns connections
	mu    sync.Mutex        // guards hosts
	hosts map[string]*Proxy // by host and port
}

// NewForward returns a forward proxy that records targets. Of opts Upstream, Authorization,
// RewriteAddresses, Certificates, Hosts and Origins are not used.
func NewForward(opts Options, targets []Target, authority *localca.Authority) (*ForwardProxy, error) {
	opts.Upstream, opts.Authorization, opts.RewriteAddresses, opts.Certificates = "https://proxy.invalid", "", false, nil
	opts.forward = true
	opts = opts.withDefaults()
	if _, err := opts.check(); err != nil {
		return nil, err
	}
	return &ForwardProxy{opts: opts, targets: targets, authority: authority, hosts: map[string]*Proxy{},
		conns: connections{arrived: make(chan net.Conn), closed: make(chan struct{})}}, nil
}

// ServeHTTP answers CONNECT; it refuses all else.
func (f *ForwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		problem.Write(w, &problem.Problem{
			Status: http.StatusMisdirectedRequest, Detail: "This proxy takes CONNECT only, as clients send it for https addresses.",
			Hint: "Set it as HTTPS_PROXY; for a base URL start the proxy with --upstream.",
		})
		return
	}
	p, bad := f.target(r)
	if bad == nil {
		bad = origin.Rule{}.Check(r, "use this proxy")
	}
	if bad != nil {
		f.opts.Log.Warn("proxy: a connection was refused", "host", r.Host, "error", bad.Detail)
		problem.Write(w, bad)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		problem.Write(w, &problem.Problem{Status: http.StatusHTTPVersionNotSupported, Detail: "This proxy takes CONNECT over HTTP/1.1 only."})
		return
	}
	_, err = conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
	if err = errors.Join(err, conn.SetDeadline(time.Time{})); err != nil {
		_ = conn.Close() // the client has disconnected
		return
	}
	name := p.upstream.Hostname()
	f.conns.add(tls.Server(connected{conn, rw.Reader, p}, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" && !strings.EqualFold(hello.ServerName, name) {
				return nil, fmt.Errorf("the client asked for %s and connected to %s", hello.ServerName, name)
			}
			return f.authority.Leaf(name)
		},
	}))
}

// target returns the proxy to the host that a CONNECT names.
func (f *ForwardProxy) target(r *http.Request) (*Proxy, *problem.Problem) {
	host, port, err := net.SplitHostPort(r.RequestURI)
	host = strings.ToLower(host)
	allowed := false
	for _, t := range f.targets {
		allowed = allowed || err == nil && t.matches(host, port)
	}
	if !allowed {
		return nil, &problem.Problem{
			Title: "Host not recorded", Status: http.StatusForbidden, Detail: fmt.Sprintf("This proxy does not connect to %s.", r.RequestURI),
			Hint: "Name the host with --forward HOST, or except it from the client's proxy with NO_PROXY.",
		}
	}
	address := net.JoinHostPort(host, port)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.hosts[address]
	if p != nil {
		return p, nil
	}
	if len(f.hosts) >= maxHosts {
		return nil, &problem.Problem{
			Status: http.StatusServiceUnavailable, Detail: fmt.Sprintf("This proxy has connected to %d hosts already.", maxHosts),
			Hint: "Name fewer hosts with --forward, or restart the proxy.",
		}
	}
	opts := f.opts
	opts.Upstream = "https://" + address
	if port == "443" {
		opts.Upstream = "https://" + strings.TrimSuffix(address, ":443")
	}
	p, err = New(opts)
	if err != nil {
		return nil, &problem.Problem{Status: http.StatusBadRequest, Detail: err.Error()}
	}
	f.hosts[address] = p
	return p, nil
}

// Serve serves a listener as Proxy.Serve does.
func (f *ForwardProxy) Serve(ctx context.Context, ln net.Listener, drain time.Duration) error {
	errorLog := httplog.New(f.opts.Log)
	outer := &http.Server{Handler: f, ReadHeaderTimeout: 30 * time.Second, ErrorLog: errorLog}
	inner := &http.Server{
		ReadHeaderTimeout: 30 * time.Second, ErrorLog: errorLog, Protocols: h2c.Protocols(),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectedKey{}, c.(*tls.Conn).NetConn().(connected).proxy)
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Context().Value(connectedKey{}).(*Proxy).ServeHTTP(w, r)
		}),
	}
	failed, ended := make(chan error, 1), make(chan struct{})
	go func() { failed <- outer.Serve(ln) }()
	go func() {
		defer close(ended)
		_ = inner.Serve(&f.conns) // ends with the listener
	}()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("proxy on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	drainCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	left := make(chan error, 2)
	go func() { left <- outer.Shutdown(drainCtx) }()
	go func() { left <- inner.Shutdown(drainCtx) }()
	f.mu.Lock()
	for _, p := range f.hosts {
		err = errors.Join(err, p.Shutdown(drainCtx))
	}
	f.mu.Unlock()
	if errors.Join(<-left, <-left) != nil {
		err = errors.Join(err, outer.Close(), inner.Close())
	}
	<-ended
	return err
}

// connected is a client's connection after CONNECT.
type connected struct {
	net.Conn
	rest  *bufio.Reader // has what the client sent after CONNECT
	proxy *Proxy
}

type connectedKey struct{}

// Read implements io.Reader.
func (c connected) Read(p []byte) (int, error) { return c.rest.Read(p) }

// connections is a net.Listener of connections that were accepted elsewhere.
type connections struct {
	arrived chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *connections) add(c net.Conn) {
	select {
	case l.arrived <- c:
	case <-l.closed:
		_ = c.Close() // it is not served
	}
}

// Accept implements net.Listener.
func (l *connections) Accept() (net.Conn, error) {
	select {
	case c := <-l.arrived:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *connections) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *connections) Addr() net.Addr { return &net.TCPAddr{} }

// otherHost returns a problem for a request within a connection that is for another host than the
// connection.
func (p *Proxy) otherHost(r *http.Request) *problem.Problem {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), "443"
	}
	want := p.upstream.Port()
	if want == "" {
		want = "443"
	}
	if r.Method != http.MethodConnect && strings.EqualFold(host, p.upstream.Hostname()) && (port == want || err != nil) {
		return nil
	}
	return &problem.Problem{
		Status: http.StatusMisdirectedRequest, Detail: fmt.Sprintf("The request is for %q, and its connection is to %s.", r.Host, p.upstream.Host),
	}
}
