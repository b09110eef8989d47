package tapeexport

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var segments = sqltemplate.Parse(files).Must("segments", nil)
