package tombstone

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements      = sqltemplate.Parse(files)
	streamsBeyond   = statements.Must("streams_beyond", nil)
	insertTombstone = statements.Must("insert_tombstone", nil)
	insertRestore   = statements.Must("insert_restore", nil)

	streamsBeyondMany = statements.Must("streams_beyond_many", nil)
	latestMarks       = statements.Must("latest_marks", nil)
	ofErasure         = statements.Must("of_erasure", nil)
)

// rowsShape selects which rows of tombstones and restores are read.
type rowsShape struct{ Latest bool } // of all sessions instead of the named sessions
