// Package clickhouse maps tapedeck's types to ClickHouse: connections, migrations, and the
// conversion of blocks to columns.
package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
)

// dialTimeout bounds the opening of a connection, including the TLS handshake.
const dialTimeout = 5 * time.Second

// Open opens a pool of connections for a command. The DSN has the form of clickhouse-go,
// clickhouse://user:password@host:9000/database?secure=true, with the parameters of TLS and cluster.
// Open does not connect before the first query.
func Open(dsn string) (driver.Conn, error) { return OpenFor(Commands, dsn) }

// Use is what the connections of a pool are for.
type Use int

const (
	Requests Use = iota // statements of requests that a client waits for
	// Work is work in the background: deletion, erasure, retention, backups, rollups, decoding again.
	// It has connections of its own, so that it continues when requests use all of their connections.
	Work
	Commands // statements of a command, such as a migration or the check of a backup
)

// connections returns the bounds of a pool: all connections, and the idle ones that are kept.
func (u Use) connections() (open, idle int) {
	if u == Work {
		return 8, 2
	}
	return 32, 8
}

// Bounds of a statement whose context has no deadline, from its beginning to its last row. The bound
// of requests ends those to a server that hangs. Statements of work and of commands take as long as
// their data needs: ClickHouse sends nothing while it rewrites parts. TCP reports a server that is
// gone.
const (
	requestTime = 5 * time.Minute
	workTime    = 7 * 24 * time.Hour
)

// statementTime returns the bound of a statement whose context has no deadline.
func (u Use) statementTime() time.Duration {
	if u == Requests {
		return requestTime
	}
	return workTime
}

// shortAnalysis turns off two optimizations of the query tree that gain nothing for the statements
// of tapedeck: the deduction of comparisons from chains of AND, and the fusion of aggregate
// functions. Most of a statement's processor time on few rows is its analysis. Without the two the
// tests of the list of sessions take 22 % less.
var shortAnalysis = []string{"optimize_and_compare_chain", "optimize_syntax_fuse_functions"}

// OpenFor opens a pool of connections for a use.
func OpenFor(use Use, dsn string) (driver.Conn, error) {
	opts, err := optionsFor(use, dsn)
	if err != nil {
		return nil, err
	}
	conn, err := driver.Open(opts)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	engine := engineOf(dsn)
	conn = family.NewConn(batches{conn}, engine)
	if name := clusterOf(dsn); name != "" {
		return withMembers(conn, name, opts, engine), nil
	}
	return conn, nil
}

// optionsFor returns the options of a pool. A read_timeout of the DSN replaces that of the use.
func optionsFor(use Use, dsn string) (*driver.Options, error) {
	opts, files, err := parse(dsn)
	if err != nil {
		return nil, err
	}
	opts.DialTimeout = dialTimeout
	if files != nil {
		opts.DialContext = files.Dial(opts.TLS.ServerName, dialTimeout)
	}
	if opts.ReadTimeout == 0 {
		opts.ReadTimeout = use.statementTime()
	}
	opts.MaxOpenConns, opts.MaxIdleConns = use.connections()
	for _, name := range shortAnalysis {
		if _, given := opts.Settings[name]; !given {
			opts.Settings[name] = 0
		}
	}
	return opts, nil
}

// Dial opens one connection for column by column inserts and reads.
func Dial(ctx context.Context, dsn string) (*ch.Client, error) {
	opts, files, err := parse(dsn)
	if err != nil {
		return nil, err
	}
	if files != nil {
		opts.TLS = files.Client(opts.TLS.ServerName)
	}
	settings := make([]ch.Setting, 0, len(shortAnalysis))
	for _, name := range shortAnalysis {
		settings = append(settings, ch.Setting{Key: name, Value: "0", Important: true})
	}
	if clusterOf(dsn) != "" {
		for name, value := range cluster.Settings {
			settings = append(settings, ch.Setting{Key: name, Value: fmt.Sprint(value), Important: true})
		}
	}
	for name, value := range engineOf(dsn).Settings() {
		settings = append(settings, ch.Setting{Key: name, Value: fmt.Sprint(value), Important: true})
	}
	for _, addr := range opts.Addr {
		var client *ch.Client
		client, err = ch.Dial(ctx, ch.Options{
			Address: addr, Database: opts.Auth.Database, User: opts.Auth.Username, Password: opts.Auth.Password,
			TLS: opts.TLS, Compression: compression(addr), ClientName: "tapedeck", DialTimeout: dialTimeout,
			Settings: settings,
		})
		if err == nil {
			return client, nil
		}
	}
	return nil, fmt.Errorf("connect to ClickHouse at %v: %w", opts.Addr, err)
}
