package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/console"
	"tapedeck/schema/migrations"
)

// format is the version of the manifest. A program reads versions up to its own.
const format = 1

// Manifest describes a backup. It is stored in the backup itself.
type Manifest struct {
	Format    int       `json:"format"`
	ID        string    `json:"id"`
	Program   string    `json:"program"` // program version
	Schema    uint32    `json:"schema"`  // the last migration
	Base      string    `json:"base"`    // the backup that an incremental one continues; "" for a full one
	StartedAt time.Time `json:"started_at"`
	// SnapshotAt is the time at which all tables were cloned.
	SnapshotAt time.Time `json:"snapshot_at"`
	// Sessions, Frames and Bytes are the totals of the table of frames.
	Sessions    uint64    `json:"sessions"`
	Frames      uint64    `json:"frames"`
	Bytes       uint64    `json:"bytes"`
	LastFrameAt time.Time `json:"last_frame_at"`
	Coverage    Coverage  `json:"coverage"`
	Tables      []Table   `json:"tables"`
	// Sum is the sum of the hashes of the rows in the table of sessions' sums. Entries is the sum of
	// the hashes of the entries of buckets.
	Sum     string `json:"sum"`
	Entries string `json:"entries"`
}

// Table describes a table in the manifest.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // the columns that are hashed
	Keyed   bool     `json:"keyed"`   // the table is keyed by tenant and session
	Merged  bool     `json:"merged"`  // rows with equal keys are one row
	Rows    uint64   `json:"rows"`
}

// Coverage describes which blocks in JetStream a backup contains. It does not contain blocks that
// were acknowledged but not yet stored in ClickHouse.
type Coverage struct {
	// Acknowledged is the sequence of the last message when the backup began. Stored is the sequence
	// up to which all messages were stored when the tables were cloned. With partitions they are the
	// sums over all of them.
	Acknowledged uint64 `json:"acknowledged_seq"`
	Stored       uint64 `json:"stored_seq"`
	// Unstored counts the messages up to Acknowledged that are not in the backup.
	Unstored uint64 `json:"unstored_messages"`
}

// seal returns the checksum of the text of a manifest.
func seal(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// contents describes the size of a backup.
func (m *Manifest) contents() string {
	return fmt.Sprintf("%s of %s, %s", console.Count(m.Frames, "frame"), console.Count(m.Sessions, "session"),
		console.DecimalBytes(m.Bytes))
}

// rows returns the number of rows of all tables.
func (m *Manifest) rows() (n int64) {
	for i := range m.Tables {
		n += int64(m.Tables[i].Rows) //nolint:gosec // a number of rows
	}
	return n
}

// store writes the manifest into the snapshot.
func (m *Manifest) store(ctx context.Context, db driver.Conn, database string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	statement := "INSERT INTO " + identifier(database) + "." + infoTable
	if err := insert(ctx, db, statement, []any{string(text), seal(string(text))}); err != nil {
		return fmt.Errorf("write the manifest: %w", reason(err))
	}
	return nil
}

// ErrDamaged is the error for a backup whose content differs from the content that was written.
var ErrDamaged = errors.New("the backup is damaged")

// readManifest reads the manifest from a database, and checks that this program can restore the
// backup.
func readManifest(ctx context.Context, db driver.Conn, database string) (*Manifest, error) {
	var text, sum string
	if err := db.QueryRow(ctx, statements.Must("manifest", identifier(database))).Scan(&text, &sum); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", reason(err))
	}
	if seal(text) != sum {
		return nil, fmt.Errorf("the manifest does not match its checksum: %w", ErrDamaged)
	}
	m := &Manifest{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	all, err := migrations.All()
	if err != nil {
		return nil, err
	}
	if own := all[len(all)-1].Version; m.Schema > own {
		return nil, fmt.Errorf("the backup was made by tapedeck %s with schema %d, and this program knows "+
			"schemas up to %d: restore it with that version or a newer one", m.Program, m.Schema, own)
	}
	if m.Format > format {
		return nil, fmt.Errorf("the backup has format %d, and this program knows formats up to %d: restore it "+
			"with tapedeck %s or a newer version", m.Format, format, m.Program)
	}
	return m, nil
}

// insert writes rows in one batch.
func insert(ctx context.Context, db driver.Conn, statement string, rows ...[]any) error {
	batch, err := db.PrepareBatch(ctx, statement)
	if err != nil {
		return err
	}
	defer batch.Close()
	for _, row := range rows {
		if err := batch.Append(row...); err != nil {
			return err
		}
	}
	return batch.Send()
}
