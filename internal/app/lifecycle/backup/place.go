package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/migrate"
	"tapedeck/schema/tables"
)

// prepare removes the remains of a restore that was killed while it put tables in place. It then
// returns an error if the database has rows of an installation.
func (o *RestoreOptions) prepare(ctx context.Context, at *steps) error {
	left, err := unfinished(ctx, o.DB, o.Into)
	if err != nil {
		return err
	}
	if left {
		at.begin("removing what an interrupted restore has left", 0)
		if err := remove(ctx, o.DB, o.Into); err != nil {
			return err
		}
		if err := unmark(ctx, o.DB, o.Into); err != nil {
			return err
		}
	}
	return empty(ctx, o.DB, o.Into)
}

// unfinished reports whether a restore was killed while it put tables in place.
func unfinished(ctx context.Context, db driver.Conn, database string) (is bool, err error) {
	err = db.QueryRow(ctx, fmt.Sprintf("SELECT count() > 0 FROM system.tables WHERE database = %s AND name = "+
		"%s", quote(database), quote(migrate.Placing))).Scan(&is)
	if err != nil {
		err = fmt.Errorf("read the tables of %s: %w", database, reason(err))
	}
	return is, err
}

// mark marks a database as incomplete.
func mark(ctx context.Context, db driver.Conn, database string) error {
	statement := "CREATE TABLE " + identifier(database) + "." + migrate.Placing +
		" (x UInt8) ENGINE = MergeTree ORDER BY x"
	if err := db.Exec(ctx, statement); err != nil {
		return fmt.Errorf("mark the database %s as incomplete: %w", database, reason(err))
	}
	return nil
}

func unmark(ctx context.Context, db driver.Conn, database string) error {
	if err := db.Exec(ctx, "DROP TABLE "+identifier(database)+"."+migrate.Placing+" SYNC"); err != nil {
		return fmt.Errorf("mark the database %s as complete: %w", database, reason(err))
	}
	return nil
}

// remove removes the tables of an installation.
func remove(ctx context.Context, db driver.Conn, database string) error {
	for _, name := range order() {
		if err := db.Exec(ctx, "DROP TABLE IF EXISTS "+identifier(database)+"."+name+" SYNC"); err != nil {
			return fmt.Errorf("remove the table %s: %w", name, reason(err))
		}
	}
	return nil
}

// place moves the restored tables into the database of the installation: it renames them if
// ClickHouse can, and otherwise creates hard links for one table after another. A mark table marks
// the database as incomplete until all tables are in place.
func (m *Manifest) place(ctx context.Context, db driver.Conn, scratch, into string) error {
	if err := db.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+identifier(into)); err != nil {
		return fmt.Errorf("make the database %s: %w", into, reason(err))
	}
	if err := empty(ctx, db, into); err != nil { // a server may have started meanwhile
		return err
	}
	if err := mark(ctx, db, into); err != nil {
		return err
	}
	if err := remove(ctx, db, into); err != nil {
		return err
	}
	if err := m.move(ctx, db, scratch, into); err != nil {
		return err
	}
	return unmark(ctx, db, into)
}

func (m *Manifest) move(ctx context.Context, db driver.Conn, scratch, into string) error {
	var same bool
	err := db.QueryRow(ctx, fmt.Sprintf("SELECT uniqExact(engine) = 1 FROM system.databases WHERE name IN (%s, %s)",
		quote(scratch), quote(into))).Scan(&same)
	if err != nil {
		return fmt.Errorf("read the engine of the database %s: %w", into, reason(err))
	}
	if !same { // the database of local mode has a different engine
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

// link puts the tables in place one after another.
func (m *Manifest) link(ctx context.Context, db driver.Conn, scratch, into string) error {
	var list []string
	for _, t := range m.Tables {
		list = append(list,
			fmt.Sprintf("CREATE TABLE %s.%s AS %s.%[2]s", identifier(into), t.Name, identifier(scratch)),
			fmt.Sprintf("ALTER TABLE %s.%s ATTACH PARTITION ALL FROM %s.%[2]s", identifier(into), t.Name,
				identifier(scratch)))
	}
	for _, statement := range list {
		if err := db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("put the tables in place: %w", reason(err))
		}
	}
	return nil
}

// empty returns an error if tapedeck's tables in a database have rows of an installation. Rows in
// the audit log are allowed.
func empty(ctx context.Context, db driver.Conn, database string) error {
	rows, err := db.Query(ctx, rowCounts, clickhouse.Named("database", database))
	if err != nil {
		return fmt.Errorf("read the tables of %s: %w", database, reason(err))
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var n uint64
		if err := rows.Scan(&name, &n); err != nil {
			return fmt.Errorf("read the tables of %s: %w", database, reason(err))
		}
		own := slices.ContainsFunc(tables.All, func(t tables.Table) bool { return t.Name == name })
		if own && n > 0 && !strings.HasPrefix(name, "schema_") && name != "audit_log" {
			return fmt.Errorf("the database %s is not empty, its table %s has %d rows: a restore never "+
				"overwrites; restore into an empty installation, or name another database with --into-database",
				database, name, n)
		}
	}
	return rows.Err()
}
