package limitreport

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("limits_report", "limits_report", Query{}),
		querytest.NewStatement("limits_report_by_tag", "limits_report", Query{Tag: "customer"}),
	)
}
