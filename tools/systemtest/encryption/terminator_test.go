package encryption

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"tapedeck/internal/certs/certstest"
)

// terminator is a server's secure port: it decrypts connections and passes them on to the
// server's plain port. ClickHouse's native protocol is the same on both, and local mode's
// engine has a plain port only ("SYSTEM START LISTEN in clickhouse-local supports only TCP and
// HTTP").
type terminator struct {
	listener net.Listener
	shown    atomic.Pointer[tls.Certificate]
	serials  sync.Map // of client certificates, in hex
	conns    sync.Map // net.Conn of clients
	running  sync.WaitGroup
}

// newTerminator asks every client for a certificate of an authority and shows a certificate
// of it for a name.
func newTerminator(t testing.TB, ca *certstest.Authority, shown certstest.Pair, plain string) *terminator {
	t.Helper()
	s := &terminator{}
	s.show(ca.TLS(shown))
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.listener = tls.NewListener(inner, &tls.Config{
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(), MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.shown.Load(), nil },
	})
	s.running.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.running.Go(func() { s.pass(conn.(*tls.Conn), plain) })
		}
	})
	t.Cleanup(func() {
		_ = s.listener.Close()
		s.cut()
		s.running.Wait()
	})
	return s
}

func (s *terminator) show(c tls.Certificate) { s.shown.Store(&c) }

// cut ends all connections.
func (s *terminator) cut() {
	s.conns.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		return true
	})
}

func (s *terminator) pass(conn *tls.Conn, plain string) {
	s.conns.Store(conn, nil)
	defer s.conns.Delete(conn)
	defer conn.Close()
	if conn.Handshake() != nil {
		return
	}
	s.serials.Store(conn.ConnectionState().PeerCertificates[0].SerialNumber.Text(16), true)
	server, err := net.Dial("tcp", plain)
	if err != nil {
		return
	}
	defer server.Close()
	both := sync.WaitGroup{}
	both.Go(func() {
		_, _ = io.Copy(server, conn)
		_ = server.Close()
	})
	_, _ = io.Copy(conn, server)
	_ = conn.Close()
	both.Wait()
}
