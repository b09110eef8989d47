package migrate

import (
	"context"
	"fmt"
	"slices"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/tables"
)

// distribute makes the Distributed tables and the views that members lack. It holds the lock of the first
// member's local database, so that processes that migrate at the same time give all members one placement.
func distribute(ctx context.Context, c *cluster.Conn, members []cluster.Member, o Options) error {
	first, err := c.On(members[0], c.Local())
	if err != nil {
		return err
	}
	done := func() (bool, error) {
		lacking, err := undistributed(ctx, c, members, o)
		return len(lacking) == 0, err
	}
	if done, err := done(); done || err != nil {
		return err
	}
	l, err := acquire(ctx, first, o, done)
	if l == nil || err != nil {
		return err
	}
	defer l.release(ctx)
	lacking, err := undistributed(ctx, c, members, o) // again: the previous holder may have placed them
	if err != nil {
		return err
	}
	for _, of := range lacking {
		if err := l.check(ctx); err != nil {
			return err
		}
		if err := of.conn.Exec(ctx, of.text); err != nil {
			return fmt.Errorf("make the %s on member %s of cluster %s: %w", of.what, of.member.Address, c.Name(), err)
		}
	}
	return nil
}

// ofMember is a statement that makes a table or a view of a member.
type ofMember struct {
	member     cluster.Member
	conn       driver.Conn
	what, text string
}

// undistributed returns the statements that make those Distributed tables of members that are missing, or
// have another placement or other columns than the local tables, and those views that are missing or differ
// from the local ones.
func undistributed(ctx context.Context, c *cluster.Conn, members []cluster.Member, o Options) ([]ofMember, error) {
	p, err := place(ctx, c, members, time.Now())
	if err != nil {
		return nil, err
	}
	var list []ofMember
	for _, m := range members {
		conn, err := c.On(m, c.Database())
		if err != nil {
			return nil, err
		}
		var outdated []string
		err = conn.QueryRow(ctx, readOutdated, driver.Named("local", c.Local()), driver.Named("database", c.Database()),
			driver.Named("tables", distributed()), driver.Named("of_session", ofSession()),
			driver.Named("sessions", engineOf(c, "", true, p)), driver.Named("first", engineOf(c, "", false, p))).Scan(&outdated)
		if err != nil {
			return nil, fmt.Errorf("read the tables of member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		for _, t := range tables.All {
			if !slices.Contains(outdated, t.Name) {
				continue
			}
			text, err := statements.Text("distribute", struct {
				Name, Local, Engine string
			}{t.Name, identifier(c.Local()), engineOf(c, t.Name, t.OfSession(), p)})
			if err != nil {
				return nil, err
			}
			list = append(list, ofMember{m, conn, "Distributed table " + t.Name, text})
		}
		views, err := lackingViews(ctx, conn, o.Migrations, c.Local())
		if err != nil {
			return nil, fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
		for _, v := range views {
			list = append(list, ofMember{m, conn, "view " + v.name, v.text})
		}
	}
	return list, nil
}

// ofSession returns the names of the tables whose rows are on the shard of their session.
func ofSession() []string {
	var names []string
	for _, t := range tables.All {
		if t.OfSession() {
			names = append(names, t.Name)
		}
	}
	return names
}

// engineOf returns the engine of the Distributed table of a table.
func engineOf(c *cluster.Conn, table string, ofSession bool, p cluster.Placement) string {
	if ofSession {
		return fmt.Sprintf("Distributed('%s', '%s', '%s', %s)", c.Name(), c.Local(), table, p.Key())
	}
	return fmt.Sprintf("Distributed('%s', '%s', '%s')", c.First(), c.Local(), table)
}
