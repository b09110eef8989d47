package helm

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
)

// secure are servers that have certificates and require certificates of their clients, with secrets as
// cert-manager makes them.
func secure(t *testing.T) surroundings {
	t.Helper()
	ca := certstest.New(t, "ca")
	secret := func(names ...string) map[string][]byte {
		pair := ca.Issue(time.Hour, names...)
		return map[string][]byte{"ca.crt": ca.PEM(), "tls.crt": pair.Cert, "tls.key": pair.Key}
	}
	asks := func(name string) *tls.Config {
		return &tls.Config{
			MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
			Certificates: []tls.Certificate{ca.TLS(ca.Issue(time.Hour, name))},
		}
	}
	dsn, password := withoutPassword(t, localtest.ClickHouse(t))
	dsn.Host = securePort(t, asks("clickhouse.test"), dsn.Host)
	files := func(secret, server string) map[string]any {
		return map[string]any{"secretName": secret, "cert": "tls.crt", "key": "tls.key", "serverName": server}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: ca.Pool()}}}
	t.Cleanup(client.CloseIdleConnections)
	return surroundings{
		client: client,
		values: map[string]any{
			"nats":       map[string]any{"url": secureNATS(t, asks("nats.test")), "maxBytes": 1 << 28, "tls": files("nats-tls", "nats.test")},
			"clickhouse": map[string]any{"url": dsn.String(), "password": password, "tls": files("clickhouse-tls", "clickhouse.test")},
			"tls":        map[string]any{"secretName": "server-tls", "minVersion": "1.3"},
		},
		secrets: map[string]map[string][]byte{
			"nats-tls": secret("client"), "clickhouse-tls": secret("client"), "server-tls": secret("127.0.0.1", "tapedeck-api"),
		},
	}
}

// secureNATS starts NATS with JetStream and returns its URL.
func secureNATS(t *testing.T, config *tls.Config) string {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{
		Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir(), MaxPayload: broker.MaxPayload, TLS: true, TLSVerify: true, TLSTimeout: 10, TLSConfig: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not start")
	}
	address, err := url.Parse(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	return "tls://" + address.Host
}

// securePort decrypts connections and passes them on to a plain port: the ClickHouse of local mode
// has no other.
func securePort(t *testing.T, config *tls.Config, plain string) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", plain)
			if err != nil {
				_ = conn.Close()
				continue
			}
			running.Go(func() {
				_, _ = io.Copy(server, conn)
				_ = server.Close()
			})
			running.Go(func() {
				_, _ = io.Copy(conn, server)
				_ = conn.Close()
			})
		}
	})
	return l.Addr().String()
}
