package toolreport

import (
	"testing"

	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	tools := grouping.Shape{
		Table: "spans", ID: "span_id", Kind: "tool", Period: grouping.Monthly.Expression("seen_ns"), Groups: []string{toolColumns["tool"]},
		From: true, Among: true, Crossing: true, Careful: true,
	}
	querytest.Statements(t, statements,
		querytest.NewStatement("tools_report_all_with_care", "tools_report", grouping.Shape{
			Table: "spans", ID: "span_id", Kind: "tool", Period: grouping.Whole.Expression("seen_ns"), Careful: true, Everything: true,
		}),
		querytest.NewStatement("tools_report_with_care", "tools_report", tools),
		querytest.NewStatement("tools_slowest", "tools_slowest", grouping.Shape{Table: "spans", ID: "span_id", Kind: "tool"}),
		querytest.NewStatement("tools_unclosed_with_care", "tools_unclosed", tools),
	)
}
