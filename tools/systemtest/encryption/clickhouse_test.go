package encryption

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secureClickHouse returns the DSN of a database on a port that asks every client for a
// certificate of an authority. The name of the server is clickhouse.test.
func secureClickHouse(t testing.TB, ca *certstest.Authority) (dsn string, port *terminator) {
	t.Helper()
	u, err := url.Parse(localtest.ClickHouse(t))
	must(t, err)
	port = newTerminator(t, ca, ca.Issue(time.Hour, "clickhouse.test"), u.Host)
	u.Host = port.listener.Addr().String()
	return u.String(), port
}

// clientFiles writes a certificate of an authority for a client, which trusts another one.
func clientFiles(t testing.TB, of, trusts *certstest.Authority, lasts time.Duration) clickhouse.TLS {
	t.Helper()
	cert, key := of.Save(t.TempDir(), of.Issue(lasts, "client"))
	return clickhouse.TLS{CA: trusts.File(t.TempDir()), Cert: cert, Key: key, ServerName: "clickhouse.test"}
}

func TestClickHouse(t *testing.T) {
	ca, other := certstest.New(t, "ca"), certstest.New(t, "other")
	dsn, _ := secureClickHouse(t, ca)
	good := clientFiles(t, ca, ca, time.Hour)
	without := func(change func(*clickhouse.TLS)) clickhouse.TLS {
		s := good
		change(&s)
		return s
	}
	for _, c := range []struct {
		name    string
		tls     clickhouse.TLS
		refused bool
	}{
		{"certificate of the authority", good, false},
		{"no certificate", without(func(s *clickhouse.TLS) { s.Cert, s.Key = "", "" }), true},
		{"certificate of another authority", clientFiles(t, other, ca, time.Hour), true},
		{"expired certificate", clientFiles(t, ca, ca, -time.Hour), true},
		{"another authority trusted", clientFiles(t, ca, other, time.Hour), true},
		{"another name", without(func(s *clickhouse.TLS) { s.ServerName = "a.test" }), true},
		{"the name of the address", without(func(s *clickhouse.TLS) { s.ServerName = "" }), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn, err := clickhouse.WithTLS(dsn, c.tls, nil)
			must(t, err)
			must(t, clickhouse.CheckDSN(dsn))
			db, err := clickhouse.Open(dsn)
			must(t, err)
			defer db.Close()
			var one uint8
			err = db.QueryRow(t.Context(), "SELECT 1").Scan(&one)
			if (err != nil) != c.refused || !c.refused && one != 1 {
				t.Errorf("query: %d, %v", one, err)
			}
			conn, err := clickhouse.Dial(t.Context(), dsn)
			if err == nil {
				err = conn.Ping(t.Context())
				_ = conn.Close()
			}
			if (err != nil) != c.refused {
				t.Errorf("columns: %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "password") {
				t.Errorf("the error names the password: %v", err)
			}
		})
	}
	plain, err := url.Parse(dsn)
	must(t, err)
	if db, err := clickhouse.Open(plain.String()); err == nil {
		if err := db.Ping(t.Context()); err == nil {
			t.Error("the secure port answered a plain connection")
		}
		_ = db.Close()
	}
}
