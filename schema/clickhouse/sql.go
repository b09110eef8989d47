package clickhouse

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements = sqltemplate.Parse(files)
	readUptime = statements.Must("uptime", nil)
	readLoad   = statements.Must("load", nil)
	readDisks  = statements.Must("disks", nil)
)
