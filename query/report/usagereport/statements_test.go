package usagereport

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	report := grouping.Shape{
		Period: grouping.Monthly.Key("at_ns"), Groups: []string{"records.tag_value_0", columns["node"]}, From: true, To: true, ByNode: true,
		Tags: []string{"customer"}, CellTags: []string{"records.tag_value_0"}, Source: rollup.Source{Settled: true},
		Splits: cost.ModelSplits{Tiers: make([]cost.ModelSplit, 2), Instants: make([]cost.ModelSplit, 1)},
	}
	changed := report
	changed.Parts, changed.StatedCosts, changed.Among = true, true, true
	changed.Source = rollup.Source{Settled: true, Unsettled: true, Remade: true}
	planned := report
	planned.PlanZones = []string{"{plan_zone_0:String}", "{plan_zone_1:String}"}
	all := grouping.Shape{
		Period: grouping.Whole.Key("at_ns"), Groups: []string{columns["status"]}, To: true, ByStatus: true, Among: true,
		Source: rollup.Source{Unsettled: true, All: true},
	}
	querytest.Statements(t, statements,
		querytest.NewStatement("usage_report", "usage_report", report),
		querytest.NewStatement("usage_report_changed", "usage_report", changed),
		querytest.NewStatement("usage_report_plans", "usage_report", planned),
		querytest.NewStatement("usage_report_all", "usage_report", all),
		querytest.NewStatement("report_sessions", "report_sessions", report),
		querytest.NewStatement("unread_sessions", "unread_sessions", report),
		querytest.NewStatement("unread_sessions_among", "unread_sessions", changed),
		querytest.NewStatement("tag_names", "tag_names", nil),
	)
}
