package charges

import (
	"embed"

	"tapedeck/query/report/grouping"
)

//go:embed sql/*.sql
var files embed.FS

var statements = grouping.Parse(files)
