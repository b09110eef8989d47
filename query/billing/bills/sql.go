package bills

import (
	"embed"

	"tapedeck/query/report/grouping"
)

//go:embed sql/*.sql
var files embed.FS

var statements = grouping.Parse(files)

// rowsShape is what sql/bill_rows.sql asks of.
type rowsShape struct{ Charges, After, Limited bool }
