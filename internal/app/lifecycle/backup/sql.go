package backup

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements = sqltemplate.Parse(files)
	operation  = statements.Must("operation", nil)
	columns    = statements.Must("columns", nil)
	merges     = statements.Must("merges", nil)
	rowCounts  = statements.Must("rows", nil)
)

// The tables that a backup has beside the tables of the schema.
const (
	infoTable    = "backup_info"
	sumsTable    = "backup_sums"
	entriesTable = "backup_entries"
	// foundTable holds the sums of what was restored. It is not in backups.
	foundTable = "backup_found"
)

// inBackup is the name of the database inside a backup.
const inBackup = "tapedeck"

// sumsShape is the statement that hashes a table.
type sumsShape struct {
	Database string // quoted
	Into     string // table of the database
	Table    string
	Columns  string
	Bytes    string
	Keyed    bool
	Merged   bool
}

// sumShape is the statement that hashes a table of the manifest.
type sumShape struct{ Database, Table, Columns string }

// marksShape has the marks of a later backup and the restored marks. The databases are
// quoted.
type marksShape struct{ Restored, Later, Table, Columns string }
