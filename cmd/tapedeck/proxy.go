package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/proxy"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/certs/localca"
	"tapedeck/internal/commandline"
	"tapedeck/internal/secrets"
)

// proxyCommand runs the recording proxy.
type proxyCommand struct {
	Upstream      string   `help:"The server to pass requests on to." xor:"upstream" env:"TAPEDECK_UPSTREAM" placeholder:"URL"`
	Forward       []string `help:"A host whose requests a forward proxy (HTTPS_PROXY) records, in place of --upstream: api.example.com, *.example.com, with a port unless it is 443; may be repeated." xor:"upstream" placeholder:"HOST" sep:"none"`
	ForwardCA     string   `help:"Certificate of the authority that signs for the hosts of --forward. Default: one that is made on first use." name:"forward-ca-cert" type:"path" placeholder:"FILE"`
	ForwardKey    string   `help:"Private key of --forward-ca-cert; only its owner may read it." name:"forward-ca-key" type:"path" placeholder:"FILE"`
	PrintCA       bool     `help:"Print the certificate that clients of --forward must trust, and where it is, and end." name:"print-ca"`
	Credentials   string   `help:"File with what identifies requests that have no Authorization field to the server: user:password, or a token." name:"upstream-credentials" env:"TAPEDECK_UPSTREAM_CREDENTIALS" type:"path" placeholder:"FILE"`
	Listen        string   `help:"Address to listen on." default:"127.0.0.1:4700" placeholder:"ADDR"`
	SessionHeader string   `help:"Request header that names the session." placeholder:"NAME"`
	Session       string   `help:"Session of requests that name none." placeholder:"ID"`
	Dialect       string   `predictor:"dialect" help:"The protocol; recognised by default." placeholder:"NAME"`
	Tenant        string   `help:"The tenant." default:"default" placeholder:"T"`
	Tag           []string `help:"Tag the sessions; may be repeated." placeholder:"K=V" sep:"none"`
	AllowHost     []string `help:"A host name beside loopback ones by which clients may call the proxy; may be repeated." placeholder:"NAME" sep:"none"`
	AllowOrigin   []string `help:"An origin beside loopback ones whose pages may use the proxy; may be repeated." placeholder:"ORIGIN" sep:"none"`
	Rewrite       bool     `help:"Have clients see the proxy's address where an answer has the upstream's, in header fields and JSON; recordings keep the upstream's." name:"rewrite-addresses"`
	Redact        []string `help:"A header, query parameter or JSON member whose value is not to be recorded, beside those whose names say so; may be repeated." placeholder:"NAME" sep:"none"`
	Strict        bool     `help:"Delay requests instead of recording them in part when the recorder is overloaded."`
	Metrics       string   `help:"Address on which Prometheus reads /metrics; none by default." placeholder:"ADDR"`
	NATS          string   `help:"Publish to this NATS server instead of through the tapedeck server." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`

	settings.CommandSpool
	settings.DialectFiles
	settings.Redaction  `group:"Secrets"`
	settings.ServerTLS  `group:"TLS"`
	settings.NATSClient `group:"NATS"`
	settings.Log        `group:"Log"`
}

// Run proxies until the process is signalled to stop.
func (c *proxyCommand) Run(ctx context.Context, g *global) error {
	if c.PrintCA {
		return c.printCA()
	}
	spareGC()
	tags, err := parseTags(c.Tag)
	if err == nil {
		err = c.Load()
	}
	if err == nil {
		err = c.CheckSpool()
	}
	if err == nil {
		err = checkStream(c.Tenant, c.Session, c.Dialect)
	}
	var targets []proxy.Target
	if err == nil {
		targets, err = c.targets()
	}
	authorization := ""
	if err == nil {
		authorization, err = c.authorization()
	}
	if err != nil {
		return err
	}
	rules, err := c.Engine()
	if err == nil && c.NoRedact && len(c.Redact) > 0 {
		err = commandline.Errorf("--no-redact goes without --redact")
	}
	if err != nil {
		return err
	}
	log := c.Logger()
	if u, err := url.Parse(c.Upstream); err == nil && u.User != nil && os.Getenv("TAPEDECK_UPSTREAM") != c.Upstream {
		log.Warn("proxy: the list of processes shows the credentials in --upstream; name a file with --upstream-credentials, or set TAPEDECK_UPSTREAM")
	}
	certificates, err := c.Certificates(log)
	if err != nil {
		return err
	}
	l, err := server.Listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := c.checkEnvironment(l.Addr()); err != nil {
		return err
	}
	out, err := openOutlet(ctx, g, &c.NATSClient,
		outlet.Options{NATS: c.NATS, Sync: c.Sync(), SpoolLimit: int64(c.SpoolLimit), Redact: rules, Log: log})
	if err != nil {
		return err
	}
	defer out.Close()
	if err := checkTenant(out, &c.Tenant); err != nil {
		return err
	}
	trust, err := g.config()
	if err != nil {
		return err
	}
	opts := proxy.Options{
		Upstream: c.Upstream, Recorder: out.Recorder(),
		Stream:        ingest.StreamOptions{Tenant: c.Tenant, Session: c.Session, Dialect: c.Dialect, Tags: tags},
		Authorization: authorization, SessionHeader: c.SessionHeader, Hosts: c.AllowHost, Origins: c.AllowOrigin, Redact: c.Redact, Strict: c.Strict, TLS: trust, Log: log,
		RewriteAddresses: c.Rewrite, Certificates: certificates,
	}
	var p interface {
		Serve(context.Context, net.Listener, time.Duration) error
	}
	what := "what passes to " + secrets.URL(c.Upstream)
	if len(targets) > 0 {
		var authority *localca.Authority
		if authority, err = c.authority(); err != nil {
			return err
		}
		p, err = proxy.NewForward(opts, targets, authority)
		what = fmt.Sprintf("what passes to %s, for clients that have it as HTTPS_PROXY and trust %s", strings.Join(c.Forward, ", "), authority.Path)
	} else {
		p, err = proxy.New(opts)
	}
	if err != nil {
		return commandline.As(err)
	}
	if c.Metrics != "" {
		m, err := server.Listen("--metrics", c.Metrics)
		if err != nil {
			return err
		}
		defer m.Close()
		go func() { _ = server.ServeMetrics(m) }() // ends with the listener
		fmt.Fprintf(os.Stderr, "http://%s/metrics has the metrics\n", m.Addr())
	}
	scheme := "http"
	if certificates != nil {
		scheme = "https"
	}
	fmt.Fprintf(os.Stderr, "%s://%s records %s\n", scheme, l.Addr(), what)
	if err := p.Serve(ctx, l, server.ShutdownTimeout); err != nil {
		return err
	}
	return drain(context.WithoutCancel(ctx), out)
}

// authorization returns the Authorization field for the upstream that is in the file of
// credentials, "" without one.
func (c *proxyCommand) authorization() (string, error) {
	if c.Credentials == "" {
		return "", nil
	}
	if u, err := url.Parse(c.Upstream); err == nil && u.User != nil {
		return "", commandline.Errorf("--upstream has credentials, and so has the file of --upstream-credentials: remove one")
	}
	text, err := settings.ReadSecret("--upstream-credentials", c.Credentials)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", commandline.Errorf("--upstream-credentials: the file %s has several lines: write user:password or a token into it", c.Credentials)
	}
	if strings.Contains(text, ":") {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)), nil
	}
	return "Bearer " + text, nil
}
