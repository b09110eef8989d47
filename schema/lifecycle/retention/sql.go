package retention

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements       = sqltemplate.Parse(files)
	insertPolicy     = statements.Must("insert_policy", nil)
	insertExpiration = statements.Must("insert_expiration", nil)
	unfinished       = statements.Must("unfinished", nil)
	framesExpired    = statements.Must("frames_expired", nil)
	billsStored      = statements.Must("bills_stored", nil)
	billsDue         = statements.Must("bills_due", nil)
	deleteBillRows   = statements.Must("delete_bill_rows", nil)
	deleteBills      = statements.Must("delete_bills", nil)
)
