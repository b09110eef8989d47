package encryption

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/local/broker"
)

// secureNATS is a NATS server with JetStream that asks every client for a certificate. Its
// name is nats.test.
type secureNATS struct {
	*natsserver.Server
	shown   atomic.Pointer[tls.Certificate]
	serials sync.Map // of client certificates, in hex
}

func newNATS(t testing.TB, ca *certstest.Authority) *secureNATS {
	t.Helper()
	s := &secureNATS{}
	s.show(ca.TLS(ca.Issue(time.Hour, "nats.test")))
	var err error
	s.Server, err = natsserver.NewServer(&natsserver.Options{
		Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir(), MaxPayload: broker.MaxPayload,
		TLS: true, TLSVerify: true, TLSTimeout: 10, TLSConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.shown.Load(), nil },
			VerifyPeerCertificate: func(_ [][]byte, chains [][]*x509.Certificate) error {
				s.serials.Store(chains[0][0].SerialNumber.Text(16), true)
				return nil
			},
		},
	})
	must(t, err)
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func (s *secureNATS) show(c tls.Certificate) { s.shown.Store(&c) }

// cut ends all connections.
func (s *secureNATS) cut(t testing.TB) {
	t.Helper()
	all, err := s.Connz(nil)
	must(t, err)
	for _, c := range all.Conns {
		_ = s.DisconnectClientByID(c.Cid) // it may have ended
	}
}

func TestNATS(t *testing.T) {
	ca, other := certstest.New(t, "ca"), certstest.New(t, "other")
	server := newNATS(t, ca)
	files := func(of, trusts *certstest.Authority, lasts time.Duration) jetstream.TLS {
		cert, key := of.Save(t.TempDir(), of.Issue(lasts, "client"))
		return jetstream.TLS{CA: trusts.File(t.TempDir()), Cert: cert, Key: key, ServerName: "nats.test"}
	}
	good := files(ca, ca, time.Hour)
	for _, c := range []struct {
		name    string
		tls     jetstream.TLS
		refused string
	}{
		{"certificate of the authority", good, ""},
		{"no certificate", jetstream.TLS{CA: good.CA, ServerName: good.ServerName}, "certificate required"},
		{"certificate of another authority", files(other, ca, time.Hour), "certificate required"},
		{"expired certificate", files(ca, ca, -time.Hour), "expired certificate"},
		{"another authority trusted", files(ca, other, time.Hour), "unknown authority"},
		{"another name", jetstream.TLS{CA: good.CA, Cert: good.Cert, Key: good.Key, ServerName: "a.test"}, "nats.test, not a.test"},
		{"the name of the address", jetstream.TLS{CA: good.CA, Cert: good.Cert, Key: good.Key}, "127.0.0.1"},
		{"authorities of the system", jetstream.TLS{Cert: good.Cert, Key: good.Key, ServerName: "nats.test"}, "unknown authority"},
	} {
		t.Run(c.name, func(t *testing.T) {
			options, err := c.tls.Options(slog.New(slog.DiscardHandler))
			must(t, err)
			nc, err := nats.Connect(server.ClientURL(), options...)
			if err == nil {
				err = nc.Flush() // TLS 1.3 refuses clients after their side of the handshake
				if last := nc.LastError(); last != nil {
					err = last
				}
				nc.Close()
			}
			if c.refused == "" {
				must(t, err)
			} else if err == nil {
				t.Error("the connection was opened")
			} else if !refusal(err, c.refused) {
				t.Errorf("%v; want %q", err, c.refused)
			}
		})
	}
}

// refusal reports whether an error is the one of a text, or of a connection that the other
// side closed before its alert was read.
func refusal(err error, text string) bool {
	return strings.Contains(err.Error(), text) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "closed by remote")
}
