package backup

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
)

// RestoreOptions configure a restore.
type RestoreOptions struct {
	DB   driver.Conn
	From Target
	Dir  string // directory of ClickHouse's backups; "" if it is not on this machine
	// Into is the target database; "" for the database of the connection.
	Into string
	// NATS receives the entries of buckets; with nil they are not restored.
	NATS *nats.Conn
	// Erasures is a later backup whose erasures are applied; nil for none.
	Erasures *Target
	// Drill restores a backup, compares it with the manifest, and then removes the restored data.
	Drill bool
	// Step is called when a step begins and when more of it is done. It may be nil.
	Step func(Step)
}

// Restored describes what was restored.
type Restored struct {
	Manifest *Manifest `json:"manifest"`
	Entries  int       `json:"entries"`            // entries of buckets that were written
	Erasures *Erased   `json:"erasures,omitempty"` // erasures of a later backup
}

// Difference is a session whose restored content differs from the content that was backed up. It is
// a whole table if Session is "".
type Difference struct {
	Table      string `json:"table"`
	Tenant     string `json:"tenant"`
	Session    string `json:"session"`
	Rows       uint64 `json:"rows"` // in the manifest
	FoundRows  uint64 `json:"found_rows"`
	Bytes      uint64 `json:"bytes"`
	FoundBytes uint64 `json:"found_bytes"`
}

func (d *Difference) String() string {
	what := "table " + d.Table
	if d.Session != "" {
		what = fmt.Sprintf("session %q of tenant %q, table %s", d.Session, d.Tenant, d.Table)
	}
	if d.Rows == d.FoundRows && d.Bytes == d.FoundBytes {
		return fmt.Sprintf("%s: the content of %d rows differs", what, d.Rows)
	}
	return fmt.Sprintf("%s: %d rows of %d bytes, want %d of %d", what, d.FoundRows, d.FoundBytes, d.Rows, d.Bytes)
}

// DifferencesError lists differences, at most 1000.
type DifferencesError struct{ List []Difference }

// shownDifferences bounds the number of differences in the error message.
const shownDifferences = 10

func (e *DifferencesError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "what was restored differs from what was backed up in %d places; nothing was put in place:",
		len(e.List))
	for i := range e.List {
		if i == shownDifferences {
			fmt.Fprintf(&b, "\n  and %d more (--json lists them)", len(e.List)-i)
			break
		}
		b.WriteString("\n  " + e.List[i].String())
	}
	return b.String()
}

func (e *DifferencesError) Unwrap() error { return ErrDamaged }

// Restore restores a backup into a separate database, compares every session with the manifest, and
// then puts the tables in place. If a restore fails or is killed before that, the installation is
// unchanged, and the next attempt removes the separate database. If a restore is killed while it
// puts tables in place, it leaves a mark: servers refuse to start while the mark exists, and the
// next attempt removes the incomplete tables.
func Restore(ctx context.Context, o RestoreOptions) (r *Restored, err error) {
	at := steps{report: o.Step}
	if err := refuseCluster(o.DB); err != nil {
		return nil, err
	}
	var current string
	if err := o.DB.QueryRow(ctx, "SELECT currentDatabase()").Scan(&current); err != nil {
		return nil, reason(err)
	}
	if o.Into == "" {
		o.Into = current
	}
	for _, t := range []*Target{&o.From, o.Erasures} {
		if t == nil {
			continue
		}
		if err := t.checkLinks(o.Dir); err != nil {
			return nil, err
		}
		if err := t.CheckThere(o.Dir); err != nil {
			return nil, err
		}
	}
	if !o.Drill {
		if err := o.prepare(ctx, &at); err != nil {
			return nil, err
		}
	}
	scratch := o.Into + "__restore"
	if err := create(ctx, o.DB, scratch); err != nil {
		return nil, err
	}
	defer func() {
		if dropErr := drop(ctx, o.DB, scratch); err == nil {
			err = dropErr
		}
	}()
	r = &Restored{}
	if r.Manifest, err = fetch(ctx, o, scratch, &at); err != nil {
		return nil, err
	}
	at.begin("comparing every session", r.Manifest.rows())
	if err := r.Manifest.compare(ctx, o.DB, scratch, &at); err != nil {
		return nil, err
	}
	if o.Erasures != nil {
		at.begin("applying later erasures", 0)
		if r.Erasures, err = applyErasures(ctx, o, scratch); err != nil {
			return nil, err
		}
	}
	if o.Drill {
		return r, nil
	}
	at.begin("putting the tables in place", 0)
	if o.NATS != nil {
		if r.Entries, err = restoreEntries(ctx, o.DB, scratch, o.NATS); err != nil {
			return nil, err
		}
	}
	return r, r.Manifest.place(ctx, o.DB, scratch, o.Into)
}

// fetch restores a backup into an empty database and returns its manifest.
func fetch(ctx context.Context, o RestoreOptions, scratch string, at *steps) (*Manifest, error) {
	at.begin("reading the manifest", 0)
	for _, name := range []string{infoTable, sumsTable, entriesTable} {
		if err := o.DB.Exec(ctx, "DROP TABLE "+identifier(scratch)+"."+name+" SYNC"); err != nil {
			return nil, reason(err)
		}
	}
	err := operate(ctx, o.DB, fmt.Sprintf("RESTORE TABLE %s.%s AS %s.%[2]s FROM %[4]s", inBackup, infoTable,
		identifier(scratch), o.From.sql), sameKeys(o.From), nil)
	if err != nil {
		return nil, fmt.Errorf("read the backup %s: %w", o.From.Name, err)
	}
	m, err := readManifest(ctx, o.DB, scratch)
	if err != nil {
		return nil, fmt.Errorf("read the backup %s: %w", o.From.Name, err)
	}
	at.begin("restoring "+m.contents(), 0)
	err = operate(ctx, o.DB, fmt.Sprintf("RESTORE DATABASE %s AS %s EXCEPT TABLES %[1]s.%[3]s FROM %[4]s",
		inBackup, identifier(scratch), infoTable, o.From.sql),
		append(sameKeys(o.From), "allow_different_database_def = 1"), at.restored)
	if err != nil {
		return nil, fmt.Errorf("restore the backup %s: %w", o.From.Name, err)
	}
	return m, nil
}

// sameKeys returns the settings for reading the bases of an incremental backup.
func sameKeys(t Target) []string {
	if !t.s3 {
		return nil
	}
	return []string{"use_same_s3_credentials_for_base_backup = 1"}
}

// compare hashes the restored data and returns a DifferencesError if it differs from the manifest.
func (m *Manifest) compare(ctx context.Context, db driver.Conn, scratch string, at *steps) error {
	for _, own := range []struct{ table, columns, want string }{
		{sumsTable, sumsColumns, m.Sum}, {entriesTable, entriesColumns, m.Entries},
	} {
		sum, err := sumOf(ctx, db, scratch, own.table, own.columns)
		if err != nil {
			return err
		}
		if sum != own.want {
			return fmt.Errorf("the table %s does not match the manifest: %w", own.table, ErrDamaged)
		}
	}
	create := fmt.Sprintf("CREATE TABLE %s.%s AS %[1]s.%[3]s", identifier(scratch), foundTable, sumsTable)
	if err := db.Exec(ctx, create); err != nil {
		return fmt.Errorf("compare: %w", reason(err))
	}
	for i := range m.Tables {
		if err := m.Tables[i].sum(at.counting(ctx), db, scratch, foundTable); err != nil {
			return err
		}
	}
	rows, err := db.Query(ctx, statements.Must("differences", identifier(scratch)))
	if err != nil {
		return fmt.Errorf("compare: %w", reason(err))
	}
	defer rows.Close()
	var list []Difference
	for rows.Next() {
		var d Difference
		if err := rows.Scan(&d.Table, &d.Tenant, &d.Session, &d.Rows, &d.FoundRows, &d.Bytes, &d.FoundBytes); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		list = append(list, d)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("compare: %w", reason(err))
	}
	if len(list) > 0 {
		return &DifferencesError{list}
	}
	return nil
}
