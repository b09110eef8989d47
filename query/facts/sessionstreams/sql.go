package sessionstreams

import (
	"embed"

	"tapedeck/query"
)

//go:embed sql/*.sql
var files embed.FS

var statements = query.Parse(files)
