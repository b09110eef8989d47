package clickhouse

import (
	"fmt"
	"log/slog"
	"maps"
	"net/url"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/certs"
	"tapedeck/schema/cluster"
)

// The parameters of a DSN that name PEM files: certificate authorities that replace the system's
// ones, and the client's certificate with its key. Connections are encrypted (secure=true) if any
// of these parameters is set.
const (
	paramCA   = "tls_ca"
	paramCert = "tls_cert"
	paramKey  = "tls_key"
)

// TLS holds the settings of encrypted connections to ClickHouse. Empty fields are not used.
type TLS struct{ CA, Cert, Key, ServerName string }

// WithTLS returns a DSN with the settings added, and checks the files. log receives later changes
// and errors of the files.
func WithTLS(dsn string, t TLS, log *slog.Logger) (string, error) {
	if t == (TLS{}) {
		return dsn, nil
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", errDSN
	}
	q := u.Query()
	for name, value := range map[string]string{paramCA: t.CA, paramCert: t.Cert, paramKey: t.Key,
		"tls_server_name": t.ServerName} {
		if value != "" {
			q.Set(name, value)
		}
	}
	q.Set("secure", "true")
	u.RawQuery = q.Encode()
	if f := filesOf(q); f != nil {
		if _, err := certs.Open(*f, log); err != nil {
			return "", err
		}
	}
	return u.String(), nil
}

// filesOf returns the files that parameters name, nil if they name none.
func filesOf(q url.Values) *certs.Files {
	f := certs.Files{Use: "clickhouse", CA: q.Get(paramCA), Cert: q.Get(paramCert), Key: q.Get(paramKey)}
	if f.CA == "" && f.Cert == "" && f.Key == "" {
		return nil
	}
	return &f
}

// split returns a DSN without the parameters that name files, and the files, nil if there are none.
// The DSN that it returns has no parameters cluster, engine and quorum either.
func split(dsn string) (string, *certs.Files, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", nil, errDSN
	}
	q := u.Query()
	f := filesOf(q)
	if f == nil && !q.Has(paramCluster) && !q.Has(paramEngine) {
		return dsn, nil, nil
	}
	for _, name := range []string{paramCA, paramCert, paramKey, paramCluster, paramEngine, paramQuorum} {
		q.Del(name)
	}
	if f != nil {
		q.Set("secure", "true")
	}
	u.RawQuery = q.Encode()
	return u.String(), f, nil
}

// parse parses a DSN. files is nil unless the DSN names files. options.TLS is set if files is. The
// settings of options are those of a cluster if the DSN names one, and those of its engine family.
func parse(dsn string) (options *driver.Options, files *certs.Source, err error) {
	name, engine := clusterOf(dsn), engineOf(dsn)
	dsn, named, err := split(dsn)
	if err != nil {
		return nil, nil, err
	}
	if options, err = driver.ParseDSN(dsn); err != nil {
		return nil, nil, fmt.Errorf("ClickHouse address: %w", err)
	}
	if options.TLS != nil {
		options.TLS.MinVersion = certs.Oldest
	}
	if options.Settings == nil {
		options.Settings = driver.Settings{}
	}
	if name != "" {
		maps.Copy(options.Settings, cluster.Settings)
	}
	maps.Copy(options.Settings, engine.Settings())
	if named == nil {
		return options, nil, nil
	}
	files, err = certs.Open(*named, nil)
	return options, files, err
}
