package redecode

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements   = sqltemplate.Parse(files)
	insertCommit = statements.Must("commit", nil)
)

// cleanShape selects the parts of sql/clean.sql.
type cleanShape struct {
	Table   string
	Frames  bool // the table is frames
	Erase   bool // the parts are rewritten without the rows
	Streams []cleanStream
}

// cleanStream is a stream whose rows are deleted.
type cleanStream struct {
	ID       string
	Last     uint64 // highest seq of its frames
	Segments string // an array of the first seqs of its segments
}
