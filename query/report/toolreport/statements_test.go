package toolreport

import (
	"testing"

	"tapedeck/query/querytest"
	"tapedeck/query/report/reports"
)

func TestStatements(t *testing.T) {
	tools := reports.Shape{
		Table: "spans", ID: "span_id", Kind: "tool", Period: reports.Monthly.Expression("seen_ns"), Groups: []string{toolColumns["tool"]},
		From: true, Among: true, Crossing: true, Careful: true,
	}
	querytest.Statements(t, statements,
		querytest.NewStatement("tools_report_all_with_care", "tools_report", reports.Shape{
			Table: "spans", ID: "span_id", Kind: "tool", Period: reports.Whole.Expression("seen_ns"), Careful: true, All: true,
		}),
		querytest.NewStatement("tools_report_with_care", "tools_report", tools),
		querytest.NewStatement("tools_slowest", "tools_slowest", reports.Shape{Table: "spans", ID: "span_id", Kind: "tool"}),
	)
}
