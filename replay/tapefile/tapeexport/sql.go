package tapeexport

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements = sqltemplate.Parse(files)
	segments   = statements.Must("segments", nil)
	notes      = statements.Must("notes", nil)
)
