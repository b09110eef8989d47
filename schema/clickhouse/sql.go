package clickhouse

import (
	"embed"

	"tapedeck/schema/statement"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements    = statement.Parse(files)
	createApplied = statements.Must("create_applied", nil)
	insertApplied = statements.Must("insert_applied", nil)
	readApplied   = statements.Must("applied", nil)
	readUptime    = statements.Must("uptime", nil)
	readDisks     = statements.Must("disks", nil)
)
