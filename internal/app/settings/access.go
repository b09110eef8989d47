package settings

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/systemd"
	"tapedeck/internal/commandline"
)

// Access are the settings of tokens, proxies, host names and logins.
type Access struct {
	Tokens         bool     `help:"Answer requests with a token only, also beyond loopback. The first administrator's token is written to admin-token in the data directory." env:"TAPEDECK_TOKENS"`
	AdminTokenFile string   `help:"File of the first administrator's token, with --tokens. A token that is in it is used; otherwise one is written to it. Default: admin-token in the data directory." env:"TAPEDECK_ADMIN_TOKEN_FILE" type:"path" placeholder:"FILE"`
	TrustedProxy   []string `help:"Address or network (CIDR) of a proxy whose X-Forwarded-For names the client in the audit log; may be repeated." env:"TAPEDECK_TRUSTED_PROXY" placeholder:"CIDR"`
	AllowHost      []string `help:"With --tokens: a host name beside loopback ones by which clients may call the server; may be repeated." env:"TAPEDECK_ALLOW_HOST" placeholder:"NAME"`
	Logins

	login login.Settings // of the flags
}

// Proxies returns the networks of trusted proxies.
func (f *Access) Proxies() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range f.TrustedProxy {
		prefix, err := netip.ParsePrefix(text)
		if addr, bad := netip.ParseAddr(text); err != nil && bad == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, commandline.Errorf("--trusted-proxy %q: it must be an address or network, like 10.0.0.7 or 10.0.0.0/8", text)
		}
		list = append(list, prefix)
	}
	return list, nil
}

// checkTokens returns an error for settings that need --tokens.
func (f *Access) checkTokens() error {
	var list []error
	if !f.Tokens && f.AdminTokenFile != "" {
		list = append(list, commandline.Errorf("--admin-token-file goes with --tokens: set --tokens, or leave it out"))
	}
	if !f.Tokens && len(f.AllowHost) > 0 {
		list = append(list, commandline.Errorf("--allow-host goes with --tokens: without tokens only loopback names are served"))
	}
	for _, name := range f.AllowHost {
		if strings.ContainsAny(name, "/:") && net.ParseIP(name) == nil {
			list = append(list, commandline.Errorf("--allow-host %q: it must be a host name without scheme and port, like tapedeck.example.com", name))
		}
	}
	return errors.Join(list...)
}

// OpenListener checks the flags and opens the server's address. If the service manager has opened a
// socket, OpenListener uses this socket instead.
func (f *Access) OpenListener(addr string) (_ net.Listener, err error) {
	if f.login, err = f.LoginSettings(f.Tokens); err != nil {
		return nil, err
	}
	if err := f.checkTokens(); err != nil {
		return nil, err
	}
	passed, err := systemd.Listener()
	if err != nil {
		return nil, err
	}
	if passed != nil {
		if err := server.CheckListen("--listen", passed.Addr().String()); err != nil && !f.Tokens {
			return nil, errors.Join(commandline.Errorf("the service manager passed the address %s: without "+
				"--tokens tapedeck answers on loopback only; set ListenStream=127.0.0.1:4600 in the socket "+
				"unit, or --tokens", passed.Addr()), passed.Close())
		}
		return passed, nil
	}
	if err := f.checkListen("--listen", addr); err != nil {
		return nil, err
	}
	return server.ListenAnywhere("--listen", addr)
}

// checkListen returns an error for an invalid address, and without tokens for an address that is
// not on loopback.
func (f *Access) checkListen(flag, addr string) error {
	if err := server.CheckAddress(flag, addr); err != nil || f.Tokens {
		return err
	}
	if err := server.CheckListen(flag, addr); err != nil {
		return commandline.Errorf("%w, or --tokens", err)
	}
	return nil
}

// OpenGRPC opens the address of OTLP over gRPC alone; nil if none is set.
func (s *Server) OpenGRPC() (net.Listener, error) {
	if s.OTLPListen == "" {
		return nil, nil
	}
	if err := s.checkGRPC(); err != nil {
		return nil, err
	}
	return server.ListenAnywhere("--otlp-grpc-listen", s.OTLPListen)
}

// checkGRPC returns an error for an address of OTLP over gRPC that OpenGRPC does not open.
func (s *Server) checkGRPC() error {
	if s.OTLPListen == "" {
		return nil
	}
	return s.checkListen("--otlp-grpc-listen", s.OTLPListen)
}

// tokensWait is how long a start waits until tokens can be checked.
const tokensWait = 10 * time.Second

// OpenGuards starts the checks of tokens, logins and shared links; without --tokens it does
// nothing. If NATS does not answer in time, requests are answered with 503 until it does.
func (f *Access) OpenGuards(ctx context.Context, n *node.Node, dir string, log *slog.Logger) (server.Guards, error) {
	if !f.Tokens {
		return server.Guards{}, nil
	}
	g, err := server.OpenGuards(server.GuardOptions{
		NATS: n.NATS, Replicas: n.Streams.Replicas,
		AdminFile: cmp.Or(f.AdminTokenFile, filepath.Join(dir, "admin-token")), Login: f.login,
		Audit: n.Audit, Log: log,
	})
	if err != nil {
		return g, err
	}
	g.Ready(ctx.Done(), time.After(tokensWait))
	return g, nil
}

// Hosts returns the host names of the server besides loopback names.
func (f *Access) Hosts() []string {
	if f.login.Public != nil {
		return append(f.AllowHost, f.login.Public.Hostname())
	}
	return f.AllowHost
}
