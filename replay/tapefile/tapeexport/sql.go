package tapeexport

import (
	"embed"

	"tapedeck/schema/statement"
)

//go:embed sql/*.sql
var files embed.FS

var segments = statement.Parse(files).Must("segments", nil)
