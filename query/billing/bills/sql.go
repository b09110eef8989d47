package bills

import (
	"embed"

	"tapedeck/query/report/reports"
)

//go:embed sql/*.sql
var files embed.FS

var statements = reports.Parse(files)

// rowsShape is what sql/bill_rows.sql asks of.
type rowsShape struct{ Charges, After, Limited bool }
