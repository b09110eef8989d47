package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/tables"
)

// ErrCluster is the error for a cluster, or a database, that cannot be used with the setting
// --clickhouse-cluster.
var ErrCluster = errors.New("the setting --clickhouse-cluster does not fit the database")

// anyDatabase exists on every server, for connections before the others are made.
const anyDatabase = "system"

// applyCluster applies the missing migrations to the local database of each member, one after the
// other, and then makes the Distributed tables and the views over them. Each local database has its
// lock and its records, so a run that was interrupted continues where it stopped.
func applyCluster(ctx context.Context, c *cluster.Conn, o Options) ([]string, error) {
	members, err := c.Members(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkMembers(ctx, c, members); err != nil {
		return nil, err
	}
	if err := CheckReplicas(ctx, c, members); err != nil {
		return nil, err
	}
	if _, err := place(ctx, c, members, time.Now()); err != nil {
		return nil, err // before anything is changed
	}
	var applied []string
	for _, m := range members {
		for _, database := range []string{c.Database(), c.Local()} {
			if err := makeDatabase(ctx, c, m, database); err != nil {
				return nil, err
			}
		}
		if c.Engine().IsReplicated() {
			continue
		}
		local, err := c.On(m, c.Local())
		if err != nil {
			return nil, err
		}
		names, err := Apply(ctx, local, o)
		if err != nil {
			return nil, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		if len(names) > len(applied) {
			applied = names
		}
	}
	if c.Engine().IsReplicated() {
		if applied, err = applyToShards(ctx, c, members, o); err != nil {
			return nil, err
		}
	}
	return applied, distribute(ctx, c, members, o)
}

// checkMembers returns ErrCluster, before anything is changed, if a member has another version than
// the first, or tables of its own where Distributed tables are to be, and ErrEngine if it has tables of
// another engine family.
func checkMembers(ctx context.Context, c *cluster.Conn, members []cluster.Member) error {
	var first string
	for _, m := range members {
		conn, err := c.On(m, anyDatabase)
		if err != nil {
			return err
		}
		if err := checkEngine(ctx, conn, c.Local()); err != nil {
			return fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		var version string
		var plain []string
		err = conn.QueryRow(ctx, readMember, driver.Named("database", c.Database()),
			driver.Named("tables", distributed())).Scan(&version, &plain)
		if err != nil {
			return fmt.Errorf("read the tables of member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		if len(plain) > 0 {
			return fmt.Errorf("%w: the database %s of %s has tables of one server (%s): "+
				"name an empty database with --clickhouse, or leave out --clickhouse-cluster",
				ErrCluster, c.Database(), m.Address, strings.Join(plain, ", "))
		}
		if first == "" {
			first = version
		}
		ofFirst, err := c.FirstMembers(ctx, conn)
		if err != nil {
			return err
		}
		if !slices.Equal(ofFirst, slices.DeleteFunc(slices.Clone(members), func(m cluster.Member) bool { return m.Shard > 1 })) {
			return fmt.Errorf("%w: the remote_servers of %s have no cluster %s of the first shard of %s alone: "+
				"define it on every member", ErrCluster, m.Address, c.First(), c.Name())
		}
		if version != first {
			return fmt.Errorf("%w: %s has ClickHouse %s and %s has %s: upgrade all members of cluster %s to one version",
				ErrCluster, members[0].Address, first, m.Address, version, c.Name())
		}
	}
	return nil
}

// checkPlain returns ErrCluster if the database has the Distributed tables of a cluster.
func checkPlain(ctx context.Context, conn driver.Conn) error {
	var n uint64
	if err := conn.QueryRow(ctx, countDistributed).Scan(&n); err != nil {
		return fmt.Errorf("read the tables: %w", err)
	}
	if n > 0 {
		return fmt.Errorf("%w: the database has Distributed tables: name their cluster with --clickhouse-cluster", ErrCluster)
	}
	return nil
}

// distributed returns the names of the tables that are Distributed on a cluster: all but the records
// of migrations, which each member has for itself.
func distributed() []string {
	names := tables.Names(tables.Recording, tables.Bill, tables.Mark, tables.Audit, tables.Setting)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "schema_") })
}

// makeDatabase makes a database of a member unless it exists.
func makeDatabase(ctx context.Context, c *cluster.Conn, m cluster.Member, database string) error {
	conn, err := c.On(m, anyDatabase)
	if err == nil {
		err = conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+identifier(database))
	}
	if err != nil {
		return fmt.Errorf("make the database %s on member %s of cluster %s: %w", database, m.Address, c.Name(), err)
	}
	return nil
}

// identifier returns a name in quotes.
func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "\\`") + "`" }

// behind returns the member of a cluster that lacks most migrations, as a connection to its local
// database, and the state of its schema. A member without the database lacks all. Members that are away
// are left out: what they have is known when they are back.
func behind(ctx context.Context, c *cluster.Conn, o Options) (conn driver.Conn, state *State, err error) {
	members, err := c.Members(ctx)
	if err != nil {
		return nil, nil, err
	}
	away, err := c.Away(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range members {
		if slices.Contains(away, m) {
			continue
		}
		local, err := c.On(m, c.Local())
		if err != nil {
			return nil, nil, err
		}
		s, err := Read(ctx, local, o)
		if hasCode(err, codeUnknownDatabase) {
			s, err = &State{Program: o.Program, all: o.Migrations, unrecorded: true}, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		if s.Check() != nil {
			return local, s, nil
		}
		if state == nil || len(s.Pending()) > len(state.Pending()) {
			conn, state = local, s
		}
	}
	return conn, state, nil
}

// localOf returns conn, or on a cluster the connection to the member that lacks most migrations.
func localOf(ctx context.Context, conn driver.Conn, o Options) (driver.Conn, error) {
	c, ok := conn.(*cluster.Conn)
	if !ok {
		return conn, nil
	}
	local, _, err := behind(ctx, c, o)
	return local, err
}
