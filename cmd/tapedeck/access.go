package main

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tapedeck/deploy/login"
	"tapedeck/deploy/node"
	"tapedeck/deploy/server"
	"tapedeck/internal/usage"
)

// accessFlags say whom a server answers.
type accessFlags struct {
	Tokens       bool     `help:"Answer requests with a token only, also beyond loopback. The first administrator's token is written to admin-token in the data directory." env:"TAPEDECK_TOKENS"`
	TrustedProxy []string `help:"Address or network (CIDR) of a proxy whose X-Forwarded-For names the client in the audit log; may be repeated." placeholder:"CIDR" sep:"none"`
	AllowHost    []string `help:"With --tokens: a host name beside loopback ones by which clients may call the server; may be repeated." placeholder:"NAME" sep:"none"`
	loginFlags

	login login.Settings // of the flags
}

// proxies returns the networks of trusted proxies.
func (f *accessFlags) proxies() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range f.TrustedProxy {
		prefix, err := netip.ParsePrefix(text)
		if addr, bad := netip.ParseAddr(text); err != nil && bad == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, usage.Errorf("--trusted-proxy %q: it must be an address or network, like 10.0.0.7 or 10.0.0.0/8", text)
		}
		list = append(list, prefix)
	}
	return list, nil
}

// auditFlags are those of commands that run a server.
type auditFlags struct {
	AuditRetention string `help:"How long the audit log is kept, in days." default:"400d" env:"TAPEDECK_AUDIT_RETENTION" placeholder:"D"`
}

// retention returns --audit-retention.
func (f *auditFlags) retention() (time.Duration, error) {
	text, isDays := strings.CutSuffix(f.AuditRetention, "d")
	days, err := strconv.Atoi(text)
	if err != nil || !isDays || days < 1 || days > 36500 {
		return 0, usage.Errorf("--audit-retention %q: it must be a number of days from 1d to 36500d", f.AuditRetention)
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

// listen checks the flags and opens the server's address.
func (f *accessFlags) listen(addr string) (_ net.Listener, err error) {
	if f.login, err = f.settings(f.Tokens); err != nil {
		return nil, err
	}
	if f.Tokens {
		return server.ListenAnywhere(addr)
	}
	if len(f.AllowHost) > 0 {
		return nil, usage.Errorf("--allow-host goes with --tokens: without tokens only loopback names are served")
	}
	if err := server.CheckListen(addr); err != nil {
		return nil, usage.Errorf("%w, or --tokens", err)
	}
	return server.Listen(addr)
}

// tokensWait is how long a start waits until tokens can be checked.
const tokensWait = 10 * time.Second

// open starts what checks tokens, logins and shared links; nothing without --tokens. If NATS does not
// answer in time, requests are answered 503 until it does.
func (f *accessFlags) open(ctx context.Context, n *node.Node, dir string, log *slog.Logger) (server.Guards, error) {
	if !f.Tokens {
		return server.Guards{}, nil
	}
	g, err := server.OpenGuards(server.GuardOptions{
		NATS: n.NATS, Replicas: n.Streams.Replicas, AdminFile: filepath.Join(dir, "admin-token"), Login: f.login, Audit: n.Audit, Log: log,
	})
	if err != nil {
		return g, err
	}
	g.Ready(ctx.Done(), time.After(tokensWait))
	return g, nil
}

// hosts returns the names beside loopback ones by which the server is called.
func (f *accessFlags) hosts() []string {
	if f.login.Public != nil {
		return append(f.AllowHost, f.login.Public.Hostname())
	}
	return f.AllowHost
}

// closeNode ends a node whose server was not started.
func closeNode(ctx context.Context, n *node.Node) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.StopTimeout)
	defer cancel()
	return n.Close(ctx)
}
