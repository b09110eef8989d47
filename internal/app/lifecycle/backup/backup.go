package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
)

// dropLimit bounds the removal of a snapshot.
const dropLimit = time.Minute

// clonesOfHeads is the maximum number of attempts to clone the tables. An attempt is repeated if a
// bill was closed meanwhile.
const clonesOfHeads = 5

// Options configure a backup.
type Options struct {
	DB   driver.Conn
	NATS *nats.Conn
	To   Target
	Base *Target // base of an incremental backup; nil for a full backup
	// Drain bounds the wait until blocks that were acknowledged before the start are stored.
	Drain   time.Duration
	Version string // version of the program
	Dir     string // directory of ClickHouse's backups; "" if it is not on this machine
	Log     *slog.Logger
	// Step is called when a step begins and when more of it is done, and Progress with ClickHouse's
	// progress. Both may be nil.
	Step     func(Step)
	Progress func(Progress)
}

// Backup writes a backup. If it fails or is killed, the incomplete backup cannot be restored, since
// ClickHouse writes the list of files last. The caller must ensure that one backup of an
// installation runs at a time.
func Backup(ctx context.Context, o Options) (m *Manifest, err error) {
	at := steps{report: o.Step}
	m = &Manifest{Format: format, ID: uuid.NewString(), Program: o.Version, StartedAt: time.Now().UTC()}
	if err := errors.Join(refuseCluster(o.DB), o.To.checkLinks(o.Dir), o.To.checkInside(o.Dir), o.To.checkFree(o.Dir)); err != nil {
		return nil, err
	}
	var settings []string
	if o.Base != nil {
		if err := o.Base.checkLinks(o.Dir); err != nil {
			return nil, err
		}
		if o.Base.Name == o.To.Name {
			return nil, fmt.Errorf("the base %s is the backup itself: name the backup before it", o.Base.Name)
		}
		if err := o.Base.CheckThere(o.Dir); err != nil {
			return nil, err
		}
		m.Base = o.Base.Name
		settings = append(settings, "base_backup = "+o.Base.sql)
	}
	var database string
	if err := o.DB.QueryRow(ctx, "SELECT currentDatabase()").Scan(&database); err != nil {
		return nil, reason(err)
	}
	snapshot := database + "__backup"
	at.begin("waiting for blocks to be stored", 0)
	last, err := acknowledged(ctx, o.NATS)
	if err != nil {
		return nil, err
	}
	if m.Coverage, err = drain(ctx, o.NATS, last, o.Drain); err != nil {
		return nil, err
	}
	defer func() {
		if dropErr := drop(ctx, o.DB, snapshot); err == nil {
			err = dropErr
		}
	}()
	at.begin("cloning the tables", 0)
	if err := m.snapshot(ctx, o, database, snapshot); err != nil {
		return nil, err
	}
	rows, bytes, err := size(ctx, o.DB, snapshot)
	if err != nil {
		return nil, err
	}
	at.begin("hashing", rows)
	if err := m.fill(ctx, o.DB, snapshot, &at); err != nil {
		return nil, err
	}
	if err := m.store(ctx, o.DB, snapshot); err != nil {
		return nil, err
	}
	at.begin("writing "+m.contents(), bytes)
	err = operate(ctx, o.DB, fmt.Sprintf("BACKUP DATABASE %s AS %s TO %s", identifier(snapshot), inBackup, o.To.sql),
		settings, func(p Progress) {
			at.set(int64(p.Bytes)) //nolint:gosec // a number of bytes
			if o.Progress != nil {
				o.Progress(p)
			}
		})
	if err != nil {
		return nil, fmt.Errorf("write the backup %s: %w", o.To.Name, err)
	}
	at.begin("checking what was written", 0)
	if err := m.written(ctx, o, snapshot); err != nil {
		return nil, fmt.Errorf("write the backup %s: %w", o.To.Name, err)
	}
	return m, nil
}

// snapshot clones the tables, and stores the entries of buckets in the same database.
func (m *Manifest) snapshot(ctx context.Context, o Options, database, snapshot string) error {
	before, err := readEntries(ctx, o.NATS)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if m.Tables, err = clone(ctx, o.DB, database, snapshot); err != nil {
			return err
		}
		m.SnapshotAt = time.Now().UTC()
		after, err := readEntries(ctx, o.NATS)
		if err != nil {
			return err
		}
		// A bill that was closed meanwhile would be either in the tables or in the entries, but not in
		// both.
		if slices.Equal(heads(before), heads(after)) {
			return storeEntries(ctx, o.DB, snapshot, after)
		}
		if attempt == clonesOfHeads {
			return fmt.Errorf("a bill was closed during each of %d attempts to clone the tables: start the "+
				"backup again when no bill is being closed", clonesOfHeads)
		}
		before = after
	}
}

// fill sets the sums of the tables in the manifest from a snapshot, and reports the rows that were
// read.
func (m *Manifest) fill(ctx context.Context, db driver.Conn, snapshot string, at *steps) (err error) {
	for i := range m.Tables {
		t := &m.Tables[i]
		if err := t.sum(at.counting(ctx), db, snapshot, sumsTable); err != nil {
			return err
		}
		err := db.QueryRow(ctx, statements.Must("count_rows", identifier(snapshot)),
			clickhouse.Named("table", t.Name)).Scan(&t.Rows)
		if err != nil {
			return fmt.Errorf("count the rows of %s: %w", t.Name, reason(err))
		}
	}
	if m.Sum, err = sumOf(ctx, db, snapshot, sumsTable, sumsColumns); err != nil {
		return err
	}
	if m.Entries, err = sumOf(ctx, db, snapshot, entriesTable, entriesColumns); err != nil {
		return err
	}
	err = db.QueryRow(ctx, statements.Must("contents", identifier(snapshot))).Scan(&m.Sessions, &m.Frames, &m.Bytes,
		&m.LastFrameAt, &m.Schema)
	if err != nil {
		return fmt.Errorf("describe the backup: %w", reason(err))
	}
	return nil
}
