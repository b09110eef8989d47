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

// Tables of a backup in addition to the tables of the schema.
const (
	infoTable    = "backup_info"
	sumsTable    = "backup_sums"
	entriesTable = "backup_entries"
	// foundTable holds the sums of the restored data. It is not in backups.
	foundTable = "backup_found"
)

// inBackup is the name of the database inside a backup.
const inBackup = "tapedeck"

// sumsShape configures the statement that hashes a table.
type sumsShape struct {
	Database string // quoted identifier
	Into     string // name of a table of the database
	Table    string
	Columns  string
	Bytes    string
	Keyed    bool
	Merged   bool
}

// sumShape configures the statement that hashes a manifest table.
type sumShape struct{ Database, Table, Columns string }

// marksShape names the tables of a later backup's marks and of the restored marks. The database
// names are quoted.
type marksShape struct{ Restored, Later, Table, Columns string }
