package certs

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/metric/metrictest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The files change while a source is in use. Time is virtual, from 2000-01-01 on, so the
// certificates are made outside of the bubble, valid for the years between.
func TestReload(t *testing.T) {
	metrictest.Grow(t, "tapedeck_certificate_reloads_total", "tapedeck_certificate_reload_errors_total")
	dir := t.TempDir()
	ca := certstest.New(t, "ca")
	const years = 24 * 365 * 10 * time.Hour
	first, second, past := ca.Issue(years, "a.test"), ca.Issue(years, "a.test"), ca.Issue(-time.Hour, "a.test")
	cert, key := ca.Save(dir, first)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(past.Ends) + time.Hour) // virtual time: the certificate has expired
		var log bytes.Buffer
		s, err := Open(Files{Use: "reload", Cert: cert, Key: key}, slog.New(slog.NewTextHandler(&log, nil)))
		must(t, err)
		step := func(what string, p certstest.Pair, reloads, errors int, logged string) {
			t.Helper()
			time.Sleep(checkEvery) // virtual time: the next look at the files
			log.Reset()
			for range 3 { // a change counts once
				if got := s.Certificate().Leaf.SerialNumber.Text(16); got != p.Serial {
					t.Errorf("%s: certificate %s, want %s", what, got, p.Serial)
				}
				time.Sleep(checkEvery) // virtual time: the next look at the files
			}
			if s.reloads != reloads || s.errors != errors {
				t.Errorf("%s: %d reloads, %d errors; want %d, %d", what, s.reloads, s.errors, reloads, errors)
			}
			if n := strings.Count(log.String(), logged); logged != "" && n != 1 || logged == "" && log.Len() > 0 {
				t.Errorf("%s: %q is %d times in the log:\n%s", what, logged, n, &log)
			}
		}
		step("unchanged", first, 0, 0, "")
		ca.Save(dir, certstest.Pair{Cert: second.Cert, Key: first.Key})
		step("the key of another certificate", first, 0, 1, "private key does not match")
		ca.Save(dir, certstest.Pair{Cert: []byte("nothing"), Key: first.Key})
		step("no PEM", first, 0, 2, "failed to find any PEM data")
		must(t, os.Remove(cert))
		step("no file", first, 0, 3, "no such file")
		ca.Save(dir, past)
		step("expired", first, 0, 4, "expired at")
		ca.Save(dir, first)
		step("as before", first, 1, 4, "tls: read changed files")
		ca.Save(dir, second)
		step("renewed", second, 2, 4, "tls: read changed files")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMetrics(t *testing.T) {
	ca := certstest.New(t, "ca")
	pair := ca.Issue(time.Hour, "a.test")
	dir := t.TempDir()
	cert, key := ca.Save(dir, pair)
	_, err := Open(Files{Use: "metrics", Cert: cert, Key: key, CA: ca.File(dir)}, nil)
	must(t, err)
	all, err := prometheus.DefaultGatherer.Gather()
	must(t, err)
	got := map[string]float64{}
	for _, f := range all {
		if f.GetName() != "tapedeck_certificate_expiry_timestamp_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			got[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue() // by file
		}
	}
	if got[cert] != float64(pair.Ends.Unix()) || got[dir+"/ca.pem"] < float64(pair.Ends.Unix()) {
		t.Errorf("%v", got)
	}
	if problems, err := testutil.GatherAndLint(prometheus.DefaultGatherer, "tapedeck_certificate_expiry_timestamp_seconds", "tapedeck_certificate_reloads_total", "tapedeck_certificate_reload_errors_total"); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	ca := certstest.New(t, "ca")
	cert, key := ca.Save(dir, ca.Issue(time.Hour, "a.test"))
	for want, f := range map[string]Files{
		"needs its private key":         {Cert: cert},
		"needs its certificate":         {Key: key},
		"no such file":                  {CA: dir + "/none"},
		"the file holds no certificate": {CA: key},
	} {
		if _, err := Open(f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if _, err := Version("1.1"); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
}

// Every pair of a server's and a client's settings, over a socket.
func TestHandshakes(t *testing.T) {
	ca, other := certstest.New(t, "ca"), certstest.New(t, "other")
	save := func(a *certstest.Authority, lasts time.Duration, name string) Files {
		dir := t.TempDir()
		cert, key := a.Save(dir, a.Issue(lasts, name))
		return Files{Cert: cert, Key: key}
	}
	with := func(f Files, a *certstest.Authority) Files {
		f.CA = a.File(t.TempDir())
		return f
	}
	good, mutual := save(ca, time.Hour, "127.0.0.1"), with(save(ca, time.Hour, "127.0.0.1"), ca)
	for _, c := range []struct {
		name           string
		server, client Files
		as             string // name of the server
		oldest         uint16
		newest         uint16 // of the client
		refused        string // part of either side's error
	}{
		{name: "trusted", server: good, client: with(Files{}, ca)},
		{name: "another authority", server: good, client: with(Files{}, other), refused: "unknown authority"},
		{name: "authorities of the system", server: good, client: Files{}, refused: "unknown authority"},
		{name: "expired", server: save(ca, -time.Hour, "127.0.0.1"), client: with(Files{}, ca), refused: "expired"},
		{name: "another name", server: save(ca, time.Hour, "b.test"), client: with(Files{}, ca), refused: "certificate"},
		{name: "the name that is expected", server: save(ca, time.Hour, "b.test"), client: with(Files{}, ca), as: "b.test"},
		{name: "TLS 1.1", server: good, client: with(Files{}, ca), newest: tls.VersionTLS11, refused: "protocol version"},
		{name: "TLS 1.2", server: good, client: with(Files{}, ca), newest: tls.VersionTLS12},
		{name: "TLS 1.2 with 1.3 asked for", server: good, client: with(Files{}, ca), oldest: tls.VersionTLS13, newest: tls.VersionTLS12, refused: "protocol version"},
		{name: "client certificate", server: mutual, client: with(save(ca, time.Hour, "c"), ca)},
		{name: "no client certificate", server: mutual, client: with(Files{}, ca), refused: "certificate required"},
		{name: "client certificate of another authority", server: mutual, client: with(save(other, time.Hour, "c"), ca), refused: "unknown certificate authority"},
		{name: "expired client certificate", server: mutual, client: with(save(ca, -time.Hour, "c"), ca), refused: "expired certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, err := Open(c.server, nil)
			must(t, err)
			client, err := Open(c.client, nil)
			must(t, err)
			plain, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			l := tls.NewListener(plain, server.Server(c.oldest))
			defer l.Close()
			served := make(chan error, 1)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					_, err = io.WriteString(conn, "hello")
					_ = conn.Close()
				}
				served <- err
			}()
			config := client.Client(c.as)
			if c.newest != 0 {
				config.MinVersion, config.MaxVersion = tls.VersionTLS10, c.newest
			}
			text, err := greet(l.Addr().String(), config)
			serverErr := <-served
			if c.refused == "" {
				if err != nil || serverErr != nil || text != "hello" {
					t.Errorf("%q, %v, %v", text, err, serverErr)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.refused) || text != "" {
				t.Errorf("%q, %v, %v; want %q", text, err, serverErr, c.refused)
			}
		})
	}
}

func greet(address string, config *tls.Config) (string, error) {
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	text, err := io.ReadAll(conn)
	return string(text), err
}
