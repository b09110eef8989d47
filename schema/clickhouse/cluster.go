package clickhouse

import (
	"fmt"
	"net/url"
	"regexp"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
)

// paramCluster is the parameter of a DSN that names the cluster of the server.
const paramCluster = "cluster"

var clusterName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// WithCluster returns a DSN of the database of a cluster, see package cluster. An empty name means one
// server.
func WithCluster(dsn, name string) (string, error) {
	if name == "" {
		return dsn, nil
	}
	if !clusterName.MatchString(name) {
		return "", fmt.Errorf("the name %q has other characters than letters, digits, _, . and -", name)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", errDSN
	}
	q := u.Query()
	q.Set(paramCluster, name)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// clusterOf returns the cluster that a DSN names, "" if it names none.
func clusterOf(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return ""
	}
	return u.Query().Get(paramCluster)
}

// OpenCluster opens the cluster that a DSN names; nil if it names none.
func OpenCluster(dsn string) (*cluster.Conn, error) {
	if clusterOf(dsn) == "" {
		return nil, nil
	}
	conn, err := OpenFor(Work, dsn)
	if err != nil {
		return nil, err
	}
	return conn.(*cluster.Conn), nil
}

// withMembers returns a connection that also reaches the members of a cluster, with the options of
// conn. Of the settings of a cluster, members need none: their tables are local.
func withMembers(conn driver.Conn, name string, opts *driver.Options, engine family.Engine) driver.Conn {
	database := opts.Auth.Database
	if database == "" {
		database = "default"
	}
	return cluster.New(conn, name, database, func(address, database string) (driver.Conn, error) {
		member := *opts
		member.Addr, member.Auth.Database = []string{address}, database
		member.Settings = driver.Settings{}
		for key, value := range opts.Settings {
			if _, ofCluster := cluster.Settings[key]; !ofCluster {
				member.Settings[key] = value
			}
		}
		conn, err := driver.Open(&member)
		if err != nil {
			return nil, err
		}
		return family.NewConn(batches{conn}, engine), nil
	})
}
