package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/family"
)

// Settings are the settings of every connection to a cluster.
//
//   - An insert is acknowledged when its shards have stored the rows, and not when they are queued.
//   - Each shard executes the subqueries of a statement over all shards: prices, settlements and
//     tombstones of a whole tenant are not where the session is. The value global, by which they would
//     be executed once, fails where one is inside another (code 36). A subquery inside another is one
//     level deeper.
//   - An INSERT … SELECT is executed by one member, since the shards do not receive the tables that
//     a client sends with it.
//   - A statement on one session reads the shard of that session only.
var Settings = map[string]any{
	"distributed_foreground_insert":      1,
	"distributed_product_mode":           "allow",
	"max_distributed_depth":              20,
	"parallel_distributed_insert_select": 0,
	"optimize_skip_unused_shards":        1,
}

// Conn is a connection to a member of a cluster. It is safe for use by many goroutines.
type Conn struct {
	driver.Conn
	name     string
	database string
	open     func(address, database string) (driver.Conn, error)

	mu    sync.Mutex
	conns map[[2]string]driver.Conn // of members, by address and database

	looking sync.Mutex // guards the fields below, and is held while the members are looked for
	looked  time.Time
	away    []Member
	awayErr error
}

// New returns a connection to the database of a cluster over conn, which it owns. open connects to
// a database of another member.
func New(conn driver.Conn, name, database string, open func(address, database string) (driver.Conn, error)) *Conn {
	return &Conn{Conn: conn, name: name, database: database, open: open, conns: map[[2]string]driver.Conn{}}
}

// Name returns the name of the cluster.
func (c *Conn) Name() string { return c.name }

// Database returns the database of the Distributed tables.
func (c *Conn) Database() string { return c.database }

// Engine returns the engine of the tables that store rows.
func (c *Conn) Engine() family.Engine { return family.OfConn(c.Conn) }

// Local returns the database of the tables that store rows.
func (c *Conn) Local() string { return c.database + "_local" }

// First returns the name of the cluster that has the first shard alone. The tables that are not of
// sessions are there, so that the absence of another shard does not keep them from being read.
func (c *Conn) First() string { return c.name + "_first" }

// On returns the connection to a database of a member. It is closed with c.
func (c *Conn) On(m Member, database string) (driver.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]string{m.Address, database}
	if conn := c.conns[key]; conn != nil {
		return conn, nil
	}
	conn, err := c.open(m.Address, database)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", m.Address, err)
	}
	c.conns[key] = conn
	return conn, nil
}

// Close closes the connections to all members.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.Conn.Close()
	for _, conn := range c.conns {
		err = errors.Join(err, conn.Close())
	}
	return err
}

// Exec executes a statement. If a Distributed table does not take it, it is executed on every member,
// or on one replica of each shard if the tables are replicated.
func (c *Conn) Exec(ctx context.Context, statement string, args ...any) error {
	if ofMembers(statement) {
		return c.execLocal(ctx, statement, args...)
	}
	return c.Conn.Exec(ctx, c.rewrite(ctx, statement), args...)
}

// execLocal executes a statement in the local database of the members at the same time.
func (c *Conn) execLocal(ctx context.Context, statement string, args ...any) error {
	members, err := c.Members(ctx)
	if err == nil && c.Engine().IsReplicated() && !ofEachReplica(statement) {
		members, err = c.reachable(ctx, members)
	}
	if err != nil {
		return err
	}
	failed := make([]error, len(members))
	var running sync.WaitGroup
	for i, m := range members {
		running.Go(func() {
			conn, err := c.On(m, c.Local())
			if err == nil {
				err = conn.Exec(ctx, statement, args...)
			}
			if err != nil {
				failed[i] = fmt.Errorf("member %s of cluster %s: %w", m.Address, c.name, err)
			}
		})
	}
	running.Wait()
	return errors.Join(failed...)
}

// Query runs a query.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (driver.Rows, error) {
	return c.Conn.Query(ctx, c.rewrite(ctx, query), args...)
}

// QueryRow runs a query of one row.
func (c *Conn) QueryRow(ctx context.Context, query string, args ...any) driver.Row {
	return c.Conn.QueryRow(ctx, c.rewrite(ctx, query), args...)
}

// Select runs a query and stores its rows in dest.
func (c *Conn) Select(ctx context.Context, dest any, query string, args ...any) error {
	return c.Conn.Select(ctx, dest, c.rewrite(ctx, query), args...)
}
