package bench

import (
	"embed"
	"strings"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var statements = sqltemplate.Parse(files)

// statement returns the statement sql/<name>.sql.
func statement(name string) string { return strings.TrimSpace(statements.Must(name, nil)) }
