package bills

import (
	"testing"

	"tapedeck/query/querytest"
)

// ofLine are all members of a RowFilter.
var ofLine = []string{"class", "charge_period", "provider", "model", "unit", "unpriced", "tag"}

func TestStatements(t *testing.T) {
	list := []querytest.Statement{
		querytest.NewStatement("bills_of_account", "bills", billShape{Account: true}),
		querytest.NewStatement("bill_of_number", "bills", billShape{Number: true}),
		querytest.NewStatement("bill_rows_of_charges", "bill_rows", rowsShape{Charges: true}),
		querytest.NewStatement("bill_rows_page", "bill_rows", rowsShape{After: true, Limited: true}),
		querytest.NewStatement("bill_rows_of_line", "bill_rows", rowsShape{Limited: true, Members: ofLine}),
		querytest.NewStatement("count_line_rows", "count_line_rows", rowsShape{Members: ofLine}),
	}
	for _, name := range []string{
		"account_sessions", "attempt_is_stored", "billed_elsewhere", "billed_quantities", "billed_sessions", "billing_start", "deleted_streams",
		"fingerprints", "last_sequence", "leftover_attempts", "redecoded_sessions", "remove_bill_rows", "stored_sessions",
	} {
		list = append(list, querytest.NewStatement(name, name, nil))
	}
	querytest.Statements(t, statements, list...)
}
