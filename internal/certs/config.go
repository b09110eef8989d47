package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"time"
)

// Oldest is the minimum version of TLS unless a setting requires a newer one.
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

// Server returns the configuration of a server. Each connection is opened with the current files;
// open connections are not affected. If the files name authorities, clients must show a certificate
// of one of them.
func (s *Source) Server(oldest uint16) *tls.Config {
	settings := func() *tls.Config {
		c := s.current()
		config := &tls.Config{MinVersion: max(oldest, Oldest), NextProtos: []string{"h2", "http/1.1"},
			Certificates: []tls.Certificate{*c.cert}}
		if c.pool != nil {
			config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, c.pool
			// A resumed connection would use the authorities of the first connection.
			config.SessionTicketsDisabled = true
		}
		return config
	}
	outer := settings()
	outer.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return settings(), nil }
	return outer
}

// Client returns the configuration of one connection to a server. name is the name that the
// server's certificate must have, "" for the host of the address. The client certificate is read
// when the server requests it; the authorities are read now.
func (s *Source) Client(name string) *tls.Config {
	c := s.current()
	config := &tls.Config{MinVersion: Oldest, RootCAs: c.pool, ServerName: name}
	if c.cert != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return s.current().cert, nil }
	}
	return config
}

// Dial returns a function that opens TCP connections to servers, each with the current files.
func (s *Source) Dial(name string, timeout time.Duration) func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		d := tls.Dialer{NetDialer: &net.Dialer{Timeout: timeout}, Config: s.Client(name)}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return d.DialContext(ctx, "tcp", address)
	}
}

// Certificate returns the current certificate, nil without one.
func (s *Source) Certificate() *tls.Certificate { return s.current().cert }

// RootCAs returns the current trusted authorities, nil for the authorities of the system. The error
// is always nil.
func (s *Source) RootCAs() (*x509.CertPool, error) { return s.current().pool, nil }
