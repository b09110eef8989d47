package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/tables"
)

// placingTable is in a database while tables are put in place one by one.
const placingTable = "backup_placing"

// place makes the restored tables those of the installation: all at once where ClickHouse can
// rename them, and otherwise one by one by hard links.
func (m *Manifest) place(ctx context.Context, db driver.Conn, scratch, into string) error {
	if err := db.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+identifier(into)); err != nil {
		return fmt.Errorf("make the database %s: %w", into, reason(err))
	}
	if err := empty(ctx, db, into); err != nil { // a server may have started
		return err
	}
	for _, name := range order() {
		if err := db.Exec(ctx, "DROP TABLE IF EXISTS "+identifier(into)+"."+name+" SYNC"); err != nil {
			return fmt.Errorf("remove the empty table %s: %w", name, reason(err))
		}
	}
	var same bool
	err := db.QueryRow(ctx, fmt.Sprintf("SELECT uniqExact(engine) = 1 FROM system.databases WHERE name IN (%s, %s)", quote(scratch), quote(into))).Scan(&same)
	if err != nil {
		return fmt.Errorf("read the engine of the database %s: %w", into, reason(err))
	}
	if !same { // that of local mode has an engine of its own
		return m.link(ctx, db, scratch, into)
	}
	var renames []string
	for _, t := range m.Tables {
		renames = append(renames, fmt.Sprintf("%s.%s TO %s.%[2]s", identifier(scratch), t.Name, identifier(into)))
	}
	if err := db.Exec(ctx, "RENAME TABLE "+strings.Join(renames, ", ")); err != nil {
		return fmt.Errorf("put the tables in place: %w", reason(err))
	}
	return nil
}

// link puts the tables in place one by one. Until all are there a table named
// placingTable marks the database as incomplete.
func (m *Manifest) link(ctx context.Context, db driver.Conn, scratch, into string) error {
	mark := identifier(into) + "." + placingTable
	list := []string{"CREATE TABLE " + mark + " (x UInt8) ENGINE = MergeTree ORDER BY x"}
	for _, t := range m.Tables {
		list = append(list,
			fmt.Sprintf("CREATE TABLE %s.%s AS %s.%[2]s", identifier(into), t.Name, identifier(scratch)),
			fmt.Sprintf("ALTER TABLE %s.%s ATTACH PARTITION ALL FROM %s.%[2]s", identifier(into), t.Name, identifier(scratch)))
	}
	for _, statement := range append(list, "DROP TABLE "+mark+" SYNC") {
		if err := db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("put the tables in place: %w", reason(err))
		}
	}
	return nil
}

// empty returns an error if tables of tapedeck in a database have rows of an installation.
// The log of what was done there may have some.
func empty(ctx context.Context, db driver.Conn, database string) error {
	rows, err := db.Query(ctx, "SELECT name, toUInt64(ifNull(total_rows, 0)) FROM system.tables WHERE database = "+quote(database)+" ORDER BY name")
	if err != nil {
		return fmt.Errorf("read the tables of %s: %w", database, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var n uint64
		if err := rows.Scan(&name, &n); err != nil {
			return fmt.Errorf("read the tables of %s: %w", database, err)
		}
		if name == placingTable {
			return fmt.Errorf("the database %s has part of a backup: a restore was interrupted while it put the tables in place; restore into a new data directory, or drop that database and make it again", database)
		}
		own := slices.ContainsFunc(tables.All, func(t tables.Table) bool { return t.Name == name })
		if own && n > 0 && !strings.HasPrefix(name, "schema_") && name != "audit_log" {
			return fmt.Errorf("the database %s is not empty, its table %s has %d rows: a restore never overwrites; restore into an empty installation, or name another database with --into-database", database, name, n)
		}
	}
	return rows.Err()
}
