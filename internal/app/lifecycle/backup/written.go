package backup

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// writtenTable is the table into which the manifest of a new backup is read back.
const writtenTable = "backup_written"

// errIncomplete is the error for a backup that ClickHouse reports as written but that is
// incomplete. If a disk is full, ClickHouse does not report every failed write.
var errIncomplete = errors.New(
	"the backup is incomplete, probably because its storage is full: remove it, free space there, then start again",
)

// written checks a backup that was just written. ClickHouse reads the backup's list of files and
// its manifest. If the directory of backups is on this machine, the sizes of the files are compared
// with the list.
func (m *Manifest) written(ctx context.Context, o Options, snapshot string) error {
	err := operate(ctx, o.DB, fmt.Sprintf("RESTORE TABLE %s.%s AS %s.%s FROM %s", inBackup, infoTable,
		identifier(snapshot), writtenTable, o.To.sql), sameKeys(o.To), nil)
	if o.Base != nil && errors.Is(err, errMissing) {
		return fmt.Errorf("a backup that %s continues is not there: remove %s, then make a full backup", o.Base.Name,
			o.To.Name)
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", errIncomplete, err)
	}
	text, err := m.readBack(ctx, o.DB, snapshot)
	if err != nil {
		return fmt.Errorf("%w (%w)", errIncomplete, reason(err))
	}
	if text != m.ID {
		return fmt.Errorf("%w (its manifest is that of another backup, %s)", errIncomplete, text)
	}
	if o.Dir == "" || o.To.dir == "" {
		return nil
	}
	return checkSizes(filepath.Join(o.Dir, o.To.dir))
}

// readBack returns the id in the manifest that was read back.
func (m *Manifest) readBack(ctx context.Context, db driver.Conn, snapshot string) (id string, err error) {
	statement := fmt.Sprintf("SELECT JSONExtractString(info, 'id') FROM %s.%s", identifier(snapshot), writtenTable)
	err = db.QueryRow(ctx, statement).
		Scan(&id)
	return id, err
}

// checkSizes compares the sizes of a backup's files with its list.
func checkSizes(dir string) error {
	f, err := os.Open(filepath.Join(dir, listFile))
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	defer f.Close()
	decoder := xml.NewDecoder(f)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w (%s: %w)", errIncomplete, f.Name(), err)
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != "file" {
			continue
		}
		var entry struct {
			Name     string `xml:"name"`
			Size     int64  `xml:"size"`
			UseBase  bool   `xml:"use_base"`
			BaseSize int64  `xml:"base_size"`
			DataFile string `xml:"data_file"` // name of another file with the same content
		}
		if err := decoder.DecodeElement(&entry, &start); err != nil {
			return fmt.Errorf("%w (%s: %w)", errIncomplete, f.Name(), err)
		}
		if entry.Size == 0 || entry.UseBase || entry.DataFile != "" {
			continue // its content is in another file
		}
		path := filepath.Join(dir, entry.Name)
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("%w (%w)", errIncomplete, err)
		}
		if want := entry.Size - entry.BaseSize; info.Size() != want {
			return fmt.Errorf("%w (%s has %d bytes, want %d)", errIncomplete, path, info.Size(), want)
		}
	}
}
