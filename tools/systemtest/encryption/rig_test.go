package encryption

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/budget"
	"tapedeck/internal/certs"
	"tapedeck/internal/certs/certstest"
	"tapedeck/schema/clickhouse"
)

// rig is a server with TLS on every connection, each side of which shows a certificate.
type rig struct {
	t        testing.TB
	ca, next *certstest.Authority // next signs the certificates after a rotation
	nats     *secureNATS
	port     *terminator // ClickHouse's
	dir      string      // the files of the server
	natsDir  string      // the files that it shows to NATS
	houseDir string      // the files that it shows to ClickHouse
	url      string
	node     *node.Node
	client   *http.Client // shows a certificate
	tls      *tls.Config  // of the client
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, ca: certstest.New(t, "ca"), next: certstest.New(t, "next"), dir: t.TempDir(), natsDir: t.TempDir(), houseDir: t.TempDir()}
	r.nats = newNATS(t, r.ca)
	var dsn string
	dsn, r.port = secureClickHouse(t, r.ca)
	log := slog.New(slog.DiscardHandler)

	cert, key := r.ca.Save(r.houseDir, r.ca.Issue(time.Hour, "client"))
	dsn, err := clickhouse.WithTLS(dsn, clickhouse.TLS{CA: certstest.Bundle(r.houseDir, r.ca, r.next), Cert: cert, Key: key, ServerName: "clickhouse.test"}, log)
	must(t, err)
	cert, key = r.ca.Save(r.natsDir, r.ca.Issue(time.Hour, "client"))
	toNATS, err := jetstream.TLS{CA: certstest.Bundle(r.natsDir, r.ca, r.next), Cert: cert, Key: key, ServerName: "nats.test"}.Options(log)
	must(t, err)
	cert, key = r.ca.Save(r.dir, r.ca.Issue(time.Hour, "127.0.0.1", "tapedeck.test"))
	own, err := certs.Open(certs.Files{Use: "server", Cert: cert, Key: key, CA: r.ca.File(r.dir)}, log)
	must(t, err)

	db, err := clickhouse.Open(dsn)
	must(t, err)
	defer db.Close()
	_, err = clickhouse.Migrate(t.Context(), db)
	must(t, err)
	r.node, err = node.Start(t.Context(), node.Config{
		Roles: node.Roles{Ingest: true, Sink: true, API: true}, DSN: dsn, SpoolDir: t.TempDir(),
		Connect: func(o ...nats.Option) (*nats.Conn, error) {
			return nats.Connect(r.nats.ClientURL(), append(o, toNATS...)...)
		},
		Streams: jetstream.Config{MaxBytes: 1 << 28}, Version: "test", Log: log,
	})
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := server.New(server.Options{
		Node: r.node, Listener: l, Log: log, TLS: own.Server(tls.VersionTLS12), Hosts: []string{"tapedeck.test"},
		QuietAfter: time.Minute, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000}),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, &server.StopClock{}, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	r.url = s.URL()
	r.tls = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: r.ca.Pool(), Certificates: []tls.Certificate{r.ca.TLS(r.ca.Issue(time.Hour, "reader"))}}
	r.client = &http.Client{Transport: &http.Transport{TLSClientConfig: r.tls.Clone(), ForceAttemptHTTP2: true}}
	t.Cleanup(r.client.CloseIdleConnections)
	return r
}

// serial returns the serial number of the certificate that the server shows to a new
// connection.
func (r *rig) serial() string {
	r.t.Helper()
	config := r.tls.Clone()
	config.RootCAs.AppendCertsFromPEM(r.next.PEM())
	conn, err := tls.Dial("tcp", r.url[len("https://"):], config)
	must(r.t, err)
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Text(16)
}
