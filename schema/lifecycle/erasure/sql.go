package erasure

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements    = sqltemplate.Parse(files)
	insertErasure = statements.Must("insert_erasure", nil)
	sessionsOfTag = statements.Must("sessions_of_tag", nil)
	countSessions = statements.Must("count_sessions", nil)
	storedOf      = statements.Must("stored_sessions", nil)
	restoredSince = statements.Must("restored_since", nil)
	oldParts      = statements.Must("old_parts", nil)
	lateRows      = statements.Must("late_rows", nil)
)

// rowsShape selects the rows of a table that an erasure covers.
type rowsShape struct {
	Table string
	Whole bool // the whole tenant
}

// listShape selects the erasures that are read.
type listShape struct{ Open, One bool }
