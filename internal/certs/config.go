package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"time"
)

// Oldest is the oldest version of TLS that is spoken unless a setting asks for a newer one.
const Oldest = tls.VersionTLS12

// Version returns the version of TLS that a setting names: 1.2 or 1.3.
func Version(name string) (uint16, error) {
	switch name {
	case "", "1.2":
		return tls.VersionTLS12, nil
	case "1.3":
		return tls.VersionTLS13, nil
	}
	return 0, fmt.Errorf("TLS %q: it must be 1.2 or 1.3", name)
}

// Server returns the settings of a server. Each connection is opened with the files as they
// are then; open ones stay. If the files name authorities, clients must show a certificate of
// one of them.
func (s *Source) Server(oldest uint16) *tls.Config {
	settings := func() *tls.Config {
		c := s.current()
		config := &tls.Config{MinVersion: max(oldest, Oldest), NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{*c.cert}}
		if c.pool != nil {
			config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, c.pool
			// A resumed connection would keep the authorities that were trusted at the first one.
			config.SessionTicketsDisabled = true
		}
		return config
	}
	outer := settings()
	outer.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return settings(), nil }
	return outer
}

// Client returns the settings of one connection to a server; name is the name that its
// certificate must have, "" for the host of its address. The client certificate is read when the
// server asks for it; the authorities are read now.
func (s *Source) Client(name string) *tls.Config {
	c := s.current()
	config := &tls.Config{MinVersion: Oldest, RootCAs: c.pool, ServerName: name}
	if c.cert != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return s.current().cert, nil }
	}
	return config
}

// Dial returns a function that opens connections to servers over TCP, each with the files as
// they are then.
func (s *Source) Dial(name string, timeout time.Duration) func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		d := tls.Dialer{NetDialer: &net.Dialer{Timeout: timeout}, Config: s.Client(name)}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return d.DialContext(ctx, "tcp", address)
	}
}

// Certificate returns the certificate as it is now, nil without one.
func (s *Source) Certificate() *tls.Certificate { return s.current().cert }

// RootCAs returns the trusted authorities as they are now, nil for the authorities of the system. The
// error is nil.
func (s *Source) RootCAs() (*x509.CertPool, error) { return s.current().pool, nil }
