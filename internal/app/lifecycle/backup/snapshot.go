package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/tables"
)

// order returns the tables in the order in which they are cloned. The tables that record deletions
// and the progress of work come first: work that is unfinished in them continues after a restore
// and does not count as done. The table of streams comes before the other tables of recordings,
// since the frames of the listed streams were stored earlier.
func order() []string {
	list := tables.Names(tables.Mark)
	recorded := tables.Names(tables.Recording)
	slices.Reverse(recorded)
	list = append(list, recorded...)
	return append(list, tables.Names(tables.Bill, tables.Setting, tables.Audit)...)
}

// clone creates a database with clones of the tables. The clones share the files of the tables and
// are not merged.
func clone(ctx context.Context, db driver.Conn, from, to string) ([]Table, error) {
	if err := create(ctx, db, to); err != nil {
		return nil, err
	}
	var list []Table
	for _, name := range order() {
		t := Table{Name: name}
		if err := t.describe(ctx, db, from); err != nil {
			return nil, err
		}
		if len(t.Columns) == 0 {
			continue // the schema is older than this program
		}
		for _, statement := range []string{
			fmt.Sprintf("CREATE TABLE %s.%s AS %s.%[2]s", identifier(to), name, identifier(from)),
			fmt.Sprintf("SYSTEM STOP MERGES %s.%s", identifier(to), name),
			fmt.Sprintf("ALTER TABLE %s.%s ATTACH PARTITION ALL FROM %s.%[2]s", identifier(to), name, identifier(from)),
		} {
			if err := db.Exec(ctx, statement); err != nil {
				return nil, fmt.Errorf("clone the table %s: %w", name, reason(err))
			}
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the database %s has no tables of tapedeck: name the database of the installation", from)
	}
	return list, nil
}

// size returns the rows of a database and their bytes on disk.
func size(ctx context.Context, db driver.Conn, database string) (rows, bytes int64, err error) {
	err = db.QueryRow(ctx, statements.Must("size", nil), clickhouse.Named("database", database)).Scan(&rows, &bytes)
	if err != nil {
		err = fmt.Errorf("read the size of the database %s: %w", database, reason(err))
	}
	return rows, bytes, err
}

// create creates a database with the tables of the manifest. It first removes the database of an
// interrupted attempt.
func create(ctx context.Context, db driver.Conn, name string) error {
	list := []string{"DROP DATABASE IF EXISTS " + identifier(name) + " SYNC", "CREATE DATABASE " + identifier(name)}
	for s := range strings.SplitSeq(statements.Must("create_tables", identifier(name)), ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	for _, s := range list {
		if err := db.Exec(ctx, s); err != nil {
			return fmt.Errorf("make the database %s: %w", name, reason(err))
		}
	}
	return nil
}

// drop removes a database, even if ctx has ended.
func drop(ctx context.Context, db driver.Conn, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
	defer cancel()
	if err := db.Exec(ctx, "DROP DATABASE IF EXISTS "+identifier(name)+" SYNC"); err != nil {
		return fmt.Errorf("remove the database %s: %w", name, reason(err))
	}
	return nil
}

// describe reads the stored columns of a table. There are none if the table does not exist.
func (t *Table) describe(ctx context.Context, db driver.Conn, database string) error {
	err := db.QueryRow(ctx, columns, clickhouse.Named("database", database),
		clickhouse.Named("table", t.Name)).Scan(&t.Columns)
	if err != nil {
		return fmt.Errorf("read the columns of %s: %w", t.Name, reason(err))
	}
	err = db.QueryRow(ctx, merges, clickhouse.Named("database", database),
		clickhouse.Named("table", t.Name)).Scan(&t.Merged)
	if err != nil {
		return fmt.Errorf("read the engine of %s: %w", t.Name, reason(err))
	}
	t.Keyed = slices.Contains(tables.Names(tables.Recording), t.Name)
	return nil
}

// sum writes the sums of a table to another table of the database.
func (t *Table) sum(ctx context.Context, db driver.Conn, database, into string) error {
	shape := sumsShape{Database: identifier(database), Into: into, Table: t.Name, Keyed: t.Keyed, Merged: t.Merged,
		Bytes: "0"}
	quoted := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		quoted[i] = identifier(c)
	}
	shape.Columns = strings.Join(quoted, ", ")
	switch t.Name {
	case "frames":
		shape.Bytes = "length(raw)"
	case "messages":
		shape.Bytes = "length(text)"
	}
	if err := db.Exec(ctx, statements.Must("sums", shape)); err != nil {
		return fmt.Errorf("hash the table %s: %w", t.Name, readReason(err))
	}
	return nil
}

// sumOf returns the sum of the hashes of all rows of a manifest table.
func sumOf(ctx context.Context, db driver.Conn, database, table, columns string) (sum string, err error) {
	err = db.QueryRow(ctx, statements.Must("sum_of", sumShape{identifier(database), table, columns})).Scan(&sum)
	if err != nil {
		err = fmt.Errorf("hash the table %s: %w", table, readReason(err))
	}
	return sum, err
}

const (
	sumsColumns    = "table_name, tenant, session_id, rows, bytes, hash"
	entriesColumns = "bucket, key, value"
)
