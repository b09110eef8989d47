package usagereport

import (
	"testing"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	report := grouping.Shape{
		Table: "usage", ID: "usage_id", Period: grouping.Daily.Expression("at_ns"),
		Groups: []string{columns["model"], columns["node"]}, From: true, To: true, ByNode: true, Tags: []string{"customer"},
		Crossing: true, Repeated: true, Running: true, Careful: true, StatedCosts: true,
	}
	plain := grouping.Shape{Table: "usage", ID: "usage_id", Period: grouping.Whole.Expression("at_ns"), Groups: []string{columns["model"]}}
	single := plain
	single.From, single.To, single.Tags, single.SingleTags = true, true, []string{"customer"}, true
	settled := grouping.Shape{
		Period: grouping.Monthly.Expression("at_ns"), Groups: []string{"records.tag_value_0", columns["node"]}, From: true, To: true, ByNode: true,
		Tags: []string{"customer"}, CellTags: []string{"records.tag_value_0"}, Settled: true,
		Splits: cost.ModelSplits{Tiers: make([]cost.ModelSplit, 2), Instants: make([]cost.ModelSplit, 1)},
	}
	some := settled
	some.Unsettled, some.Parts, some.StatedCosts, some.Among = true, true, true, true
	querytest.Statements(t, statements,
		querytest.NewStatement("usage_report", "usage_report", plain),
		querytest.NewStatement("usage_report_single_tags", "usage_report", single),
		querytest.NewStatement("usage_report_with_care", "usage_report", report),
		querytest.NewStatement("report_sessions", "report_sessions", single),
		querytest.NewStatement("report_sessions_with_care", "report_sessions", report),
		querytest.NewStatement("unread_sessions", "unread_sessions", report),
		querytest.NewStatement("unread_sessions_among", "unread_sessions", some),
		querytest.NewStatement("settled_report", "settled_report", settled),
		querytest.NewStatement("settled_report_with_unsettled", "settled_report", some),
		querytest.NewStatement("tag_names", "tag_names", nil),
	)
}
