package usagereport

import (
	"embed"

	"tapedeck/query/report/reports"
)

//go:embed sql/*.sql
var files embed.FS

var statements = reports.Parse(files)
