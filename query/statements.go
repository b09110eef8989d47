package query

import (
	"embed"
	"io/fs"

	"tapedeck/schema/sqltemplate"
)

// sqlFiles holds the statements and templates of this folder and of the packages below it.
//
//go:embed sql/*.sql */sql/*.sql */*/sql/*.sql
var sqlFiles embed.FS

// Statements returns the statements <dir>/sql/*.sql of a package, where dir is its path below
// query, such as "session/facets". They may use the templates in the sql folders of query, of
// pricing/cost, and of the directories in templates. The first use of the set panics if a directory
// has no statements or a template is invalid.
func Statements(dir string, templates ...string) *sqltemplate.Set {
	files := make([]fs.FS, 0, len(templates)+1)
	for _, d := range append(templates, dir) {
		sub, err := fs.Sub(sqlFiles, d)
		if err != nil {
			panic(err)
		}
		files = append(files, sub)
	}
	return Parse(files...)
}

// Parse returns the statements in the files sql/*.sql of file systems outside of this folder. They
// may use the templates in the sql folders of query and of pricing/cost. The first use of the set
// panics if a template is invalid.
func Parse(files ...fs.FS) *sqltemplate.Set {
	costs, err := fs.Sub(sqlFiles, "pricing/cost")
	if err != nil {
		panic(err)
	}
	return sqltemplate.Parse(append([]fs.FS{sqlFiles, costs}, files...)...)
}
