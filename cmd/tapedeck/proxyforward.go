package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"tapedeck/ingest/tap/proxy"
	"tapedeck/internal/certs/localca"
	"tapedeck/internal/commandline"
	"tapedeck/internal/local/datadir"
	"tapedeck/internal/origin"
)

// targets returns the hosts of a forward proxy, none for a proxy to one upstream.
func (c *proxyCommand) targets() (list []proxy.Target, err error) {
	if len(c.Forward) == 0 {
		switch {
		case c.Upstream == "":
			return nil, commandline.Errorf("missing flags: --upstream=URL, or --forward=HOST")
		case c.ForwardCA != "" || c.ForwardKey != "":
			return nil, commandline.Errorf("--forward-ca-cert and --forward-ca-key go with --forward")
		}
		return nil, checkURL("--upstream", c.Upstream, "https://api.example.com", "http", "https")
	}
	for name, given := range map[string]bool{
		"upstream-credentials": c.Credentials != "", "rewrite-addresses": c.Rewrite, "allow-host": len(c.AllowHost) > 0,
		"allow-origin": len(c.AllowOrigin) > 0, "tls-cert": c.TLSCert != "" || c.TLSKey != "",
	} {
		if given {
			return nil, commandline.Errorf("--%s goes with --upstream, and not with --forward", name)
		}
	}
	for _, text := range c.Forward {
		t, err := proxy.ParseTarget(text)
		if err != nil {
			return nil, commandline.Errorf("--forward: %w", err)
		}
		list = append(list, t)
	}
	return list, nil
}

// checkEnvironment returns an error if a forward proxy would connect through itself.
func (c *proxyCommand) checkEnvironment(own net.Addr) error {
	if len(c.Forward) == 0 {
		return nil
	}
	u, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: "proxy.invalid"}})
	if err != nil || u == nil {
		return nil // the transport reports the error
	}
	if a, ok := own.(*net.TCPAddr); ok && origin.IsLoopback(u.Host) && u.Port() == fmt.Sprint(a.Port) {
		return commandline.Errorf("HTTPS_PROXY names this proxy itself: unset it for the proxy, and set it for the clients only")
	}
	return nil
}

// authority returns the authority of a forward proxy.
func (c *proxyCommand) authority() (*localca.Authority, error) {
	if (c.ForwardCA == "") != (c.ForwardKey == "") {
		return nil, commandline.Errorf("--forward-ca-cert and --forward-ca-key go together")
	}
	if c.ForwardCA != "" {
		a, err := localca.Load(c.ForwardCA, c.ForwardKey)
		if err != nil {
			return nil, commandline.Errorf("--forward-ca-cert, --forward-ca-key: %w", err)
		}
		return a, nil
	}
	data, err := datadir.Default()
	if err != nil {
		return nil, err
	}
	// The server's data directory holds only the server's files, so this directory is beside it.
	return localca.Open(filepath.Join(filepath.Dir(data), "tapedeck-proxy"))
}

// printCA prints the certificate of the authority, and where it is.
func (c *proxyCommand) printCA() error {
	a, err := c.authority()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, a.Path)
	_, err = os.Stdout.Write(a.PEM)
	return err
}
