package modelcalls

import (
	"embed"

	"tapedeck/query/reports"
)

//go:embed sql/*.sql
var files embed.FS

var statements = reports.Parse(files)
