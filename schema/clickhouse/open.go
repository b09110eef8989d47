// Package clickhouse maps tapedeck's types to ClickHouse: connections, migrations, and the
// conversion of blocks to columns.
package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Open opens a pool of connections for queries. The DSN is clickhouse-go's:
// clickhouse://user:password@host:9000/database?secure=true. It does not connect before the
// first query.
func Open(dsn string) (driver.Conn, error) {
	opts, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse address: %w", err)
	}
	opts.DialTimeout = 5 * time.Second
	opts.MaxOpenConns, opts.MaxIdleConns = 32, 8
	conn, err := driver.Open(opts)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	return conn, nil
}

// Dial opens one connection for inserting and reading column by column.
func Dial(ctx context.Context, dsn string) (*ch.Client, error) {
	opts, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse address: %w", err)
	}
	for _, addr := range opts.Addr {
		var client *ch.Client
		client, err = ch.Dial(ctx, ch.Options{
			Address: addr, Database: opts.Auth.Database, User: opts.Auth.Username, Password: opts.Auth.Password,
			TLS: opts.TLS, Compression: compression(addr), ClientName: "tapedeck", DialTimeout: 5 * time.Second,
		})
		if err == nil {
			return client, nil
		}
	}
	return nil, fmt.Errorf("connect to ClickHouse at %v: %w", opts.Addr, err)
}
