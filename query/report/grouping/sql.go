package grouping

import (
	"embed"
	"io/fs"

	"tapedeck/query"
	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var statements = Parse()

// Parse parses the statements of a report, which may use the templates of this package
// and of query.
func Parse(of ...fs.FS) *sqltemplate.Set { return query.Parse(append([]fs.FS{files}, of...)...) }
