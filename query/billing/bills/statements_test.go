package bills

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	list := []querytest.Statement{
		querytest.NewStatement("bills_of_account", "bills", billShape{Account: true}),
		querytest.NewStatement("bill_of_number", "bills", billShape{Number: true}),
		querytest.NewStatement("bill_rows_of_charges", "bill_rows", rowsShape{Charges: true}),
		querytest.NewStatement("bill_rows_page", "bill_rows", rowsShape{After: true, Limited: true}),
	}
	for _, name := range []string{
		"account_sessions", "attempt_is_stored", "billed_elsewhere", "billed_quantities", "billed_sessions", "billing_start", "deleted_streams",
		"fingerprints", "last_sequence", "leftover_attempts", "redecoded_sessions", "remove_bill_rows", "stored_sessions",
	} {
		list = append(list, querytest.NewStatement(name, name, nil))
	}
	querytest.Statements(t, statements, list...)
}
